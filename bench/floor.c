/*
 * The floor of a warm search: the system calls that it makes, made by a loop in C over the same folder, and nothing else.
 *
 *   floor ROOT PASSES SHOWN [cold]     prints the median milliseconds of a pass, and the notes it looked at
 *
 * A folder costs openat2, statx, fgetxattr and close; what it lists is known from before. A note costs one statx by
 * name. SHOWN notes are opened from the root down, each folder on the way as above, looked at, asked for their list, read,
 * looked at again and closed. `cold`: every folder is listed, and every note is opened, looked at, asked for its list and
 * closed, as where nothing is known. `strace -c` on a sidecar shows the same calls.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

struct folder {
  char *name;
  char **notes;
  struct folder *below;
  int note_count, below_count;
};

static const char acl[] = "system.posix_acl_access";
static const unsigned mask = STATX_BASIC_STATS | STATX_MNT_ID;
static char content[1 << 16], list[4096];
static long looked_at;
static int left, cold;
/* Names of the folders from the top to where a pass is. */
static const char *way[64];
static int top, deep;

static int open_entry(int parent, const char *name, int kind) {
  struct open_how how = {
      .flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | kind,
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV};
  return (int)syscall(SYS_openat2, parent, name, &how, sizeof how);
}

static void look(int descriptor) {
  struct statx found;
  statx(descriptor, "", AT_EMPTY_PATH, mask, &found);
}

static void learn(int descriptor, struct folder *into) {
  DIR *listing = fdopendir(dup(descriptor));
  struct dirent *entry;
  while (listing != NULL && (entry = readdir(listing)) != NULL) {
    if (entry->d_name[0] == '.') continue;
    if (entry->d_type == DT_DIR) {
      into->below = realloc(into->below, sizeof *into->below * (into->below_count + 1));
      struct folder *next = &into->below[into->below_count++];
      memset(next, 0, sizeof *next);
      next->name = strdup(entry->d_name);
    } else {
      into->notes = realloc(into->notes, sizeof *into->notes * (into->note_count + 1));
      into->notes[into->note_count++] = strdup(entry->d_name);
    }
  }
  if (listing != NULL) closedir(listing);
  for (int at = 0; at < into->below_count; at++) {
    int below = open_entry(descriptor, into->below[at].name, O_DIRECTORY);
    if (below < 0) continue;
    learn(below, &into->below[at]);
    close(below);
  }
}

static void open_note(int folder, const char *name, int read_it) {
  int note = open_entry(folder, name, 0);
  if (note < 0) return;
  look(note);
  fgetxattr(note, acl, list, sizeof list);
  if (read_it) {
    if (pread(note, content, sizeof content, 0) < 0) perror("pread");
    look(note);
  }
  close(note);
}

static void open_from_top(const char *name) {
  int at = top;
  for (int step = 0; step < deep; step++) {
    int below = open_entry(at, way[step], O_DIRECTORY);
    look(below);
    fgetxattr(below, acl, list, sizeof list);
    if (at != top) close(at);
    at = below;
  }
  open_note(at, name, 1);
  if (at != top) close(at);
}

static void pass(int descriptor, const struct folder *folder) {
  struct statx found;
  look(descriptor);
  fgetxattr(descriptor, acl, list, sizeof list);
  if (cold) {
    lseek(descriptor, 0, SEEK_SET);
    while (syscall(SYS_getdents64, descriptor, content, 1 << 15) > 0) {
    }
  }
  for (int at = 0; at < folder->note_count; at++) {
    looked_at++;
    if (cold) open_note(descriptor, folder->notes[at], 0);
    else statx(descriptor, folder->notes[at], AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, mask, &found);
    if (left > 0) left--, open_from_top(folder->notes[at]);
  }
  for (int at = 0; at < folder->below_count; at++) {
    int below = open_entry(descriptor, folder->below[at].name, O_DIRECTORY);
    if (below < 0) continue;
    if (deep < 64) {
      way[deep++] = folder->below[at].name;
      pass(below, &folder->below[at]);
      deep--;
    }
    close(below);
  }
}

static int by_size(const void *one, const void *other) {
  double difference = *(const double *)one - *(const double *)other;
  return difference < 0 ? -1 : difference > 0;
}

int main(int count, char **values) {
  if (count < 4) return 2;
  int passes = atoi(values[2]);
  double *times = malloc(sizeof *times * passes);
  struct folder root = {0};
  int shown = atoi(values[3]);
  top = open(values[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (top < 0 || passes < 1 || times == NULL) return 1;
  cold = count > 4;
  learn(top, &root);
  for (int at = 0; at < passes; at++) {
    struct timespec start, end;
    looked_at = 0;
    left = shown;
    clock_gettime(CLOCK_MONOTONIC, &start);
    pass(top, &root);
    clock_gettime(CLOCK_MONOTONIC, &end);
    times[at] = (end.tv_sec - start.tv_sec) * 1e3 + (end.tv_nsec - start.tv_nsec) / 1e6;
  }
  qsort(times, passes, sizeof *times, by_size);
  printf("%.3f %ld\n", times[passes / 2], looked_at);
  return 0;
}
