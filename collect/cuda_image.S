/* The compiled kernels as bytes inside l2collect; none when there was no nvcc. */
    .section .rodata
    .balign 16
    .globl l2_image
l2_image:
#ifdef L2_FATBIN
    .incbin L2_FATBIN
#endif
l2_image_end:
    .balign 8
    .globl l2_image_bytes
l2_image_bytes:
    .quad l2_image_end - l2_image
    .section .note.GNU-stack,"",@progbits
