/* Stands in for libcuda.so.1 where CUDA's runtime starts: a driver of the version FAKE_DRIVER, whose
 * start ends with the status FAKE_START. Its other functions are there, and fail. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

enum { SUCCESS = 0, NOT_FOUND = 500, NOT_SUPPORTED = 801 };

static int said(const char* name, int otherwise) {
  const char* text = getenv(name);
  return text ? atoi(text) : otherwise;
}

int cuInit(unsigned flags) { return flags ? NOT_SUPPORTED : said("FAKE_START", SUCCESS); }

int cuDriverGetVersion(int* version) {
  *version = said("FAKE_DRIVER", 99000);
  return SUCCESS;
}

int cuDeviceGetCount(int* count) {
  *count = 0;
  return SUCCESS;
}

int cuGetExportTable(const void** table, const void* id) {
  *table = NULL;
  return id ? NOT_FOUND : NOT_SUPPORTED;
}

static int other(void) { return NOT_SUPPORTED; }

int cuGetProcAddress_v2(const char* name, void** function, int version, unsigned long long flags, int* found) {
  void* self = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  *function = self ? dlsym(self, name) : NULL;
  if (*function == NULL) *function = (void*)other;
  if (found) *found = 0;
  return version && flags == ~0ull ? NOT_SUPPORTED : SUCCESS;
}

int cuGetProcAddress(const char* name, void** function, int version, unsigned long long flags) {
  return cuGetProcAddress_v2(name, function, version, flags, NULL);
}
