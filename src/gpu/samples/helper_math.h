// Replaces the header of this name in NVIDIA's samples: element-by-element
// arithmetic of vectors, and functions built on it. Rewritten from scratch.
#pragma once
#include <cuda_runtime.h>

#include <cmath>

#define PARLAB_BOTH inline __host__ __device__
#define PARLAB_OPERATOR(V, T, op, ...)         \
  PARLAB_BOTH V operator op(V a, V b) {        \
    return {__VA_ARGS__};                      \
  }                                            \
  PARLAB_BOTH V operator op(V a, T s) {        \
    const V b = make_##V(s);                   \
    return a op b;                             \
  }                                            \
  PARLAB_BOTH V operator op(T s, V b) {        \
    const V a = make_##V(s);                   \
    return a op b;                             \
  }                                            \
  PARLAB_BOTH void operator op##=(V& a, V b) { \
    a = a op b;                                \
  }                                            \
  PARLAB_BOTH void operator op##=(V& a, T s) { \
    a = a op s;                                \
  }
#define PARLAB_2(V, T, op) PARLAB_OPERATOR(V, T, op, a.x op b.x, a.y op b.y)
#define PARLAB_3(V, T, op) \
  PARLAB_OPERATOR(V, T, op, a.x op b.x, a.y op b.y, a.z op b.z)
#define PARLAB_4(V, T, op) \
  PARLAB_OPERATOR(V, T, op, a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w)
#define PARLAB_ALL(P, V, T) P(V, T, +) P(V, T, -) P(V, T, *) P(V, T, /)
#define PARLAB_TYPE_OF_VECTORS(T)      \
  PARLAB_BOTH T##2 make_##T##2(T s) {  \
    return {s, s};                     \
  }                                    \
  PARLAB_BOTH T##3 make_##T##3(T s) {  \
    return {s, s, s};                  \
  }                                    \
  PARLAB_BOTH T##4 make_##T##4(T s) {  \
    return {s, s, s, s};               \
  }                                    \
  PARLAB_ALL(PARLAB_2, T##2, T)        \
  PARLAB_ALL(PARLAB_3, T##3, T)        \
  PARLAB_ALL(PARLAB_4, T##4, T)        \
  PARLAB_BOTH T##2 operator-(T##2 a) { \
    return T{} - a;                    \
  }                                    \
  PARLAB_BOTH T##3 operator-(T##3 a) { \
    return T{} - a;                    \
  }                                    \
  PARLAB_BOTH T##4 operator-(T##4 a) { \
    return T{} - a;                    \
  }                                    \
  PARLAB_BOTH T dot(T##2 a, T##2 b) {  \
    const T##2 c = a * b;              \
    return c.x + c.y;                  \
  }                                    \
  PARLAB_BOTH T dot(T##3 a, T##3 b) {  \
    const T##3 c = a * b;              \
    return c.x + c.y + c.z;            \
  }                                    \
  PARLAB_BOTH T dot(T##4 a, T##4 b) {  \
    const T##4 c = a * b;              \
    return c.x + c.y + c.z + c.w;      \
  }
PARLAB_TYPE_OF_VECTORS(float)
PARLAB_TYPE_OF_VECTORS(int)
#undef PARLAB_TYPE_OF_VECTORS
#undef PARLAB_ALL
#undef PARLAB_4
#undef PARLAB_3
#undef PARLAB_2
#undef PARLAB_OPERATOR

PARLAB_BOTH float3 make_float3(float4 a) {
  return {a.x, a.y, a.z};
}
PARLAB_BOTH float4 make_float4(float3 a, float w) {
  return {a.x, a.y, a.z, w};
}
PARLAB_BOTH float3 cross(float3 a, float3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <typename V>
PARLAB_BOTH float length(V v) {
  return sqrtf(dot(v, v));
}
template <typename V>
PARLAB_BOTH V normalize(V v) {
  return v * (1.0f / length(v));
}
template <typename V>
PARLAB_BOTH V lerp(V a, V b, float t) {
  return a + t * (b - a);
}
PARLAB_BOTH float clamp(float f, float least, float most) {
  return fmaxf(least, fminf(f, most));
}
PARLAB_BOTH int clamp(int i, int least, int most) {
  return i < least ? least : i > most ? most : i;
}
#undef PARLAB_BOTH
