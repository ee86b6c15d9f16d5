/* A stand-in for NCCL that works on the host's memory. Calls between ncclGroupStart and
 * ncclGroupEnd, one of each rank, are carried out by the latter. FAKE_NCCL_FAILS names a function
 * that returns an error. -DOLD makes a version without broadcast. */
#include <stdlib.h>
#include <string.h>

enum { most = 16, is_sum = 0, is_float = 7, is_double = 8 };
enum { success = 0, system_error = 2, invalid_argument = 4 };

struct member {
  int rank, device;
};
struct call {
  const void* from;
  void* to;
  size_t count;
  int type, root, rank; /* root: of a broadcast, -1 for a sum */
};

static int members, calls, depth; /* depth: how many groups are open, one within the other */
static struct call queued[most];

int fake_aborted, fake_destroyed, fake_devices[most];
void* fake_streams[most];

static int fails(const char* function) {
  const char* named = getenv("FAKE_NCCL_FAILS");
  return named != NULL && strcmp(named, function) == 0;
}

const char* ncclGetErrorString(int status) {
  return status == system_error ? "unhandled system error" : "invalid argument";
}

int ncclCommInitAll(struct member** all, int count, const int* devices) {
  if (fails("ncclCommInitAll")) return system_error;
  if (count > most) return invalid_argument;
  members = count;
  for (int i = 0; i < count; ++i) {
    all[i] = malloc(sizeof *all[i]);
    all[i]->rank = i;
    all[i]->device = fake_devices[i] = devices[i];
  }
  return success;
}

int ncclCommDestroy(struct member* one) {
  ++fake_destroyed;
  free(one);
  return success;
}
int ncclCommAbort(struct member* one) {
  ++fake_aborted;
  free(one);
  return success;
}

int ncclGroupStart(void) {
  if (depth++ == 0) calls = 0;
  return success;
}

static int queue(struct call one, struct member* from, void* stream) {
  if (depth == 0 || calls == most || from->rank != calls) return invalid_argument;
  one.rank = from->rank;
  fake_streams[calls] = stream;
  queued[calls++] = one;
  return success;
}

int ncclAllReduce(const void* from, void* to, size_t count, int type, int operation,
                  struct member* member, void* stream) {
  if (fails("ncclAllReduce") || operation != is_sum) return invalid_argument;
  return queue((struct call){from, to, count, type, -1, 0}, member, stream);
}
#ifndef OLD
int ncclBroadcast(const void* from, void* to, size_t count, int type, int root,
                  struct member* member, void* stream) {
  return queue((struct call){from, to, count, type, root, 0}, member, stream);
}
#endif

static void add_up(size_t count, int type) {
  for (size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (int rank = 0; rank < calls; ++rank) {
      sum += type == is_double ? ((const double*)queued[rank].from)[i]
                               : (double)((const float*)queued[rank].from)[i];
    }
    for (int rank = 0; rank < calls; ++rank) {
      if (type == is_double) {
        ((double*)queued[rank].to)[i] = sum;
      } else if (type == is_float) {
        ((float*)queued[rank].to)[i] = (float)sum;
      }
    }
  }
}

static void copy_from(int root, size_t bytes) {
  for (int rank = 0; rank < calls; ++rank) {
    if (rank != root) memcpy(queued[rank].to, queued[root].from, bytes);
  }
}

int ncclGroupEnd(void) {
  if (--depth > 0) return success;
  if (fails("ncclGroupEnd")) return system_error;
  if (calls != members) return invalid_argument;
  const struct call first = queued[0];
  if (first.root < 0) {
    add_up(first.count, first.type);
  } else {
    copy_from(first.root, first.count * (first.type == is_double ? 8 : 4));
  }
  return success;
}
