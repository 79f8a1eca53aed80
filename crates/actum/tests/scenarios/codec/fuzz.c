#include <stdio.h>
#include "rle.h"
int main(void) {
    unsigned char in[64], out[4096];
    unsigned s = 99;
    int cases = 0, rejected = 0, crashed = 0;
    for (; cases < 5000; cases++) {
        size_t n = 1 + ((s = s * 1103515245u + 12345u) >> 16) % 64;
        for (size_t i = 0; i < n; i++) in[i] = (unsigned char)((s = s * 1103515245u + 12345u) >> 16);
        if (rle_unpack(in, n, out, sizeof out) < 0) rejected++;
    }
    printf("fuzz cases: %d\n", cases);
    printf("rejected: %d\n", rejected);
    printf("crashes: %d\n", crashed);
    return rejected ? 2 : 0;
}
