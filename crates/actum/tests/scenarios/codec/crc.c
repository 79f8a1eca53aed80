#include <stddef.h>
unsigned crc8(const unsigned char *p, size_t n) {
    unsigned c = 0;
    while (n--) {
        c ^= *p++;
        for (int k = 0; k < 8; k++) c = c & 0x80 ? (c << 1) ^ 0x107 : c << 1;
    }
    return c & 0xff;
}
