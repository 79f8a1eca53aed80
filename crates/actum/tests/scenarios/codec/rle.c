#include "rle.h"
size_t rle_pack(const unsigned char *in, size_t n, unsigned char *out) {
    size_t o = 0, i = 0;
    while (i < n) {
        size_t run = 1;
        while (i + run < n && run < 255 && in[i + run] == in[i]) run++;
        out[o++] = (unsigned char)run;
        out[o++] = in[i];
        i += run;
    }
    return o;
}
long rle_unpack(const unsigned char *in, size_t n, unsigned char *out, size_t cap) {
    size_t o = 0;
    if (n % 2) return -1;
    for (size_t i = 0; i < n; i += 2) {
        if (o + in[i] > cap) return -2;
        for (int k = 0; k < in[i]; k++) out[o++] = in[i + 1];
    }
    return (long)o;
}
