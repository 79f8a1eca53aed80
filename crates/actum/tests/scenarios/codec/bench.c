#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rle.h"
#define N 262144
static unsigned char in[N], packed[2 * N], back[N];
static unsigned state;
static unsigned next(void) { state = state * 1664525u + 1013904223u; return state >> 16; }
int main(int argc, char **argv) {
    int unused;
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 2024;
    int longest = argc > 2 ? atoi(argv[2]) : 40;
    state = seed;
    for (size_t i = 0; i < N;) {
        size_t run = 1 + next() % longest;
        unsigned char c = next() & 7;
        for (size_t k = 0; k < run && i < N; k++) in[i++] = c;
    }
    size_t p = rle_pack(in, N, packed);
    long u = rle_unpack(packed, p, back, N);
    printf("seed=%u max_run=%d\n", seed, longest);
    printf("input bytes:      %d\n", N);
    printf("packed bytes:     %zu\n", p);
    printf("compression_ratio: %.3f\n", (double)N / (double)p);
    printf("round trip:       %s\n", u == N && !memcmp(in, back, N) ? "OK" : "MISMATCH");
    FILE *f = fopen("packed.bin", "wb");
    fwrite(packed, 1, p, f);
    fclose(f);
    return 0;
}
