/* The order of the ways of a set, a byte each, most recent first; eight ways are moved at a time. */
#ifndef L2_POLICY_ORDER_H
#define L2_POLICY_ORDER_H

#include <stdint.h>
#include <string.h>

/* Moves way w to the front of the order, eight ways at a time: the bytes before it move up by one. A state therefore has
 * room for the ways rounded up to a multiple of eight. */
static inline void policy_to_front(uint8_t *order, unsigned w)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t carry = w, word, differ, zero, moved;

    for (;; order += 8) {
        memcpy(&word, order, 8);
        differ = word ^ w * ones;
        zero = (differ - ones) & ~differ &
               ones << 7; /* its lowest bit is in the first byte that is w */
        moved = word << 8 | carry;
        if (zero != 0)
            break;
        memcpy(order, &moved, 8);
        carry = word >> 56;
    }
    zero ^= zero - 1; /* all bits up to that byte's */
    word = (word & ~zero) | (moved & zero);
    memcpy(order, &word, 8);
}

/* The same for the last of the ways. */
static inline void policy_last_to_front(uint8_t *order, unsigned ways)
{
    uint64_t carry = order[ways - 1], word, moved, keep;

    if (ways >= 16) { /* the usual number of ways, without a loop */
        memcpy(&word, order, 8);
        memcpy(&keep, order + 8, 8);
        moved = word << 8 | carry;
        memcpy(order, &moved, 8);
        moved = keep << 8 | word >> 56;
        memcpy(order + 8, &moved, 8);
        carry = keep >> 56;
        ways -= 16;
        order += 16;
    }
    for (; ways >= 8; ways -= 8, order += 8) {
        memcpy(&word, order, 8);
        moved = word << 8 | carry;
        memcpy(order, &moved, 8);
        carry = word >> 56;
    }
    if (ways > 0) {
        memcpy(&word, order, 8);
        keep = ~0ull << 8 * ways;
        moved = ((word << 8 | carry) & ~keep) | (word & keep);
        memcpy(order, &moved, 8);
    }
}
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "policy_to_front reads bytes in order");

#endif
