/* Stands in for CUDA's runtime: the GPUs that FAKE_GPUS names, "Tesla T4=75,NVIDIA H100=90". Another
 * process has all of them, in exclusive mode; what a device would be asked for next is not here. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The i-th of the names; NULL: there are fewer. */
static const char* gpu(int i) {
  const char* at = getenv("FAKE_GPUS");
  while (at && *at && i-- > 0) at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL;
  return at && *at ? at : NULL;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 0;
  while (gpu(*count)) ++*count;
  return *count ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp* properties, int device) {
  int capability = 0;
  memset(properties, 0, sizeof *properties);
  if (!gpu(device) || sscanf(gpu(device), "%255[^=]=%d", properties->name, &capability) != 2)
    return cudaErrorInvalidDevice;
  properties->major = capability / 10;
  properties->minor = capability % 10;
  properties->uuid.bytes[0] = (char)device;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* pci, int length, int device) {
  snprintf(pci, (size_t)length, "0000:0%d:00.0", device);
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaSetDevice(int device) { return gpu(device) ? cudaErrorDevicesUnavailable : cudaErrorInvalidDevice; }
cudaError_t cudaGetLastError(void) { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t status) { return status == cudaErrorNoDevice ? "no device" : "an error"; }

void** __cudaRegisterFatBinary(void* binary) {
  static void* handle;
  handle = binary;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void** handle) { (void)handle; }
void __cudaUnregisterFatBinary(void** handle) { (void)handle; }
void __cudaRegisterFunction(void) {}
void __cudaRegisterVar(void) {}
