#ifndef RLE_H
#define RLE_H
#include <stddef.h>
size_t rle_pack(const unsigned char *in, size_t n, unsigned char *out);
long rle_unpack(const unsigned char *in, size_t n, unsigned char *out, size_t cap);
#endif
