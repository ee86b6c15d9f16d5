/* Stands in for libnvidia-ml.so.1: one GPU, which says what the environment says. */
#include <stdlib.h>
#include <string.h>

static long long said(const char *name, long long otherwise) {
  const char *text = getenv(name);
  return text ? atoll(text) : otherwise;
}
static int starts = 0;

const char *nvmlErrorString(int status) { return status == 3 ? "Not Supported" : "Not Found"; }
int nvmlInit_v2(void) { return ++starts, 0; }
int nvmlShutdown(void) { return --starts, 0; }
int fake_starts(void) { return starts; }
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device) {
  *device = &starts;
  return strcmp(uuid, "GPU-fake") == 0 ? 0 : 6;
}
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules) {
  if (device != &starts) return 6;
  *millijoules = said("FAKE_NVML_MJ", 0);
  return said("FAKE_NVML_FAILS", 0);
}
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts) {
  *milliwatts = said("FAKE_NVML_MW", 0);
  return device == &starts ? 0 : 6;
}
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius) {
  *celsius = said("FAKE_NVML_CELSIUS", 40);
  return device == &starts && sensor == 0 ? 0 : 6;
}
/* As of 535: only counts when there is no room for what it tells of each. */
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, void *infos) {
  if (device != &starts || infos) return 2;
  *count = said("FAKE_NVML_PROGRAMS", 0);
  return said("FAKE_NVML_FAILS", *count ? 7 : 0);
}
