// A BLAS with a thread of its own that spins after each call, as those of OpenBLAS do: for 2^N
// nanoseconds, where OPENBLAS_THREAD_TIMEOUT is N, or 28 as in OpenBLAS when it is not set. Each call
// on several threads adds a letter to the file that CALLS names: '!' where threads that are not the
// library's run beside it, else '.'.
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t called = PTHREAD_COND_INITIALIZER;
static int calls, is_started, threads = 2;
static double spin_s;

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

static long own_thread;

static void* spin(void* unused) {
  int seen = 0;
  own_thread = syscall(SYS_gettid);
  for (;;) {
    pthread_mutex_lock(&lock);
    while (seen == calls) pthread_cond_wait(&called, &lock);
    seen = calls;
    pthread_mutex_unlock(&lock);
    const double start = cpu_seconds();
    while (cpu_seconds() - start < spin_s) continue;
  }
  return unused;
}

static void call(void) {
  pthread_mutex_lock(&lock);
  if (!is_started) {
    const char* bits = getenv("OPENBLAS_THREAD_TIMEOUT");
    pthread_t thread;
    spin_s = 1e-9 * (1L << (bits == NULL ? 28 : atoi(bits)));
    pthread_create(&thread, NULL, spin, NULL);
    is_started = 1;
  }
  ++calls;
  pthread_cond_signal(&called);
  pthread_mutex_unlock(&lock);
}

static int others_run(void) {
  DIR* tasks = opendir("/proc/self/task");
  int others = 0;
  for (struct dirent* task; (task = readdir(tasks)) != NULL;) {
    char path[300], text[600] = "";
    const long thread = atol(task->d_name);
    if (thread == 0 || thread == own_thread || thread == syscall(SYS_gettid)) continue;
    snprintf(path, sizeof path, "/proc/self/task/%s/stat", task->d_name);
    FILE* stat = fopen(path, "r");
    if (stat == NULL) continue;
    if (fgets(text, sizeof text, stat) != NULL) others += strstr(text, ") R ") != NULL;
    fclose(stat);
  }
  closedir(tasks);
  return others;
}

static void note(void) {
  const char* name = getenv("CALLS");
  FILE* file = name == NULL ? NULL : fopen(name, "a");
  if (file == NULL) return;
  fputc(others_run() > 0 ? '!' : '.', file);
  fclose(file);
}

int openblas_get_parallel(void) { return PARALLEL; }
void openblas_set_num_threads(int count) { threads = count; }

void cblas_sgemv(int layout, int transposed, int rows, int cols, float alpha, const float* a,
                 int lda, const float* x, int incx, float beta, float* y, int incy) {
  if (threads > 1) note();
  for (int row = 0; row < rows; ++row) {
    float sum = 0;
    for (int col = 0; col < cols; ++col) sum += a[(long)row * lda + col] * x[col];
    y[row] = sum;
  }
  if (threads > 1) call();
  (void)layout, (void)transposed, (void)alpha, (void)incx, (void)beta, (void)incy;
}

// These must be there for it to be loaded; none is called.
void cblas_dgemv(void) {}
void cblas_sdot(void) {}
void cblas_ddot(void) {}
void cblas_sgemm(void) {}
void cblas_dgemm(void) {}
void cblas_ssyrk(void) {}
void cblas_dsyrk(void) {}
