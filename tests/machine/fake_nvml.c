/* Stands in for libnvidia-ml.so.1: one GPU, which says what the environment says. */
#include <stdlib.h>
#include <string.h>

enum { SUCCESS, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7 };

static int starts = 0; /* not stopped since; its address is the handle of the GPU */

static long long said(const char* name, long long otherwise) {
  const char* text = getenv(name);
  return text ? atoll(text) : otherwise;
}

const char* nvmlErrorString(int status) {
  return status == NOT_SUPPORTED ? "Not Supported" : "Not Found";
}

int nvmlInit_v2(void) {
  ++starts;
  return SUCCESS;
}

int nvmlShutdown(void) {
  --starts;
  return SUCCESS;
}

int fake_starts(void) { return starts; }

int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  *device = &starts;
  return strcmp(uuid, "GPU-fake") == 0 ? SUCCESS : NOT_FOUND;
}

int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  if (device != &starts) return NOT_FOUND;
  *millijoules = said("FAKE_NVML_MJ", 0);
  return said("FAKE_NVML_FAILS", SUCCESS);
}

int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
  *milliwatts = said("FAKE_NVML_MW", 0);
  return device == &starts ? SUCCESS : NOT_FOUND;
}

int nvmlDeviceGetTemperature(void* device, int sensor, unsigned* celsius) {
  *celsius = said("FAKE_NVML_CELSIUS", 40);
  return device == &starts && sensor == 0 ? SUCCESS : NOT_FOUND;
}

/* Like that of driver 535: when there is no room for the list it says how long the list is. */
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, void* infos) {
  if (device != &starts || infos) return INVALID_ARGUMENT;
  *count = said("FAKE_NVML_PROGRAMS", 0);
  return said("FAKE_NVML_FAILS", *count ? INSUFFICIENT_SIZE : SUCCESS);
}
