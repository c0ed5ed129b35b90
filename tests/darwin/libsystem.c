/*
 * macOS's libSystem, as far as platform-darwin calls it, over the Linux kernel: the symbols, flags, structures, errno
 * numbers and return conventions of macOS, with access control lists kept in an extended attribute.
 *
 * Built by tests/darwin/Library.ts. Every function bears its name by an assembler label, so that none is mixed up with
 * the C library's own of that name, and reaches the kernel by number. What Apple documents or publishes is followed; a
 * comment names the source where the behaviour surprises. `sim_*` are for the tests alone.
 *
 * The plain names that on Intel are the older form with 32-bit inode numbers are that here too, so that an adapter
 * that takes the wrong one reads nonsense.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define NAMED(name) __asm__(name)
#if defined(__x86_64__)
#define CURRENT(name) NAMED(name "$INODE64")
#define LEGACY 1
#else
#define CURRENT(name) NAMED(name)
#endif

/* ---- errno ---- */

enum {
  D_EINTR = 4, D_EIO = 5, D_EDEADLK = 11, D_ENOMEM = 12, D_EFAULT = 14, D_ENOTDIR = 20, D_EINVAL = 22, D_ENOSPC = 28,
  D_ENOENT = 2, D_EAGAIN = 35, D_ENOTSUP = 45, D_ELOOP = 62, D_ENAMETOOLONG = 63, D_ENOTEMPTY = 66, D_ESTALE = 70,
  D_ENOSYS = 78, D_EOVERFLOW = 84, D_EOPNOTSUPP = 102
};

static int translated(int linux_errno) {
  switch (linux_errno) {
    case EAGAIN: return D_EAGAIN;
    case EDEADLK: return D_EDEADLK;
    case ENAMETOOLONG: return D_ENAMETOOLONG;
    case ENOSYS: return D_ENOSYS;
    case ENOTEMPTY: return D_ENOTEMPTY;
    case ELOOP: return D_ELOOP;
    case EOVERFLOW: return D_EOVERFLOW;
    case EOPNOTSUPP: return D_EOPNOTSUPP;
    case ESTALE: return D_ESTALE;
    default: return linux_errno <= ERANGE ? linux_errno : D_EIO;
  }
}

static long failed(int darwin_errno) {
  errno = darwin_errno;
  return -1;
}

/* The result of a system call, or the failure in macOS's numbers. */
static long told(long result) { return result < 0 ? failed(translated(errno)) : result; }

/* ---- what tests set ---- */

static int interruptions;
static uint32_t volume_flags;
static int case_blind;
static int live;
static _Thread_local int keeps_dataless;

/* The next so many calls that can be interrupted are. */
void sim_interrupt(int count) { interruptions = count; }
int sim_interruptions_left(void) { return interruptions; }
/* Further flags of every volume, such as MNT_IGNORE_OWNERSHIP. */
void sim_volume(uint32_t flags) { volume_flags = flags; }
/* Whether names are looked up without regard to (ASCII) case. */
void sim_case_blind(int blind) { case_blind = blind; }
/* Allocations handed out and not given back, streams included. */
int sim_live(void) { return live; }

static int interrupted(void) {
  if (interruptions == 0) return 0;
  interruptions--;
  errno = D_EINTR;
  return 1;
}

static void *kept(void *object) {
  if (object != NULL) live++;
  return object;
}

/* ---- opening ---- */

#define D_O_ACCMODE 0x3
#define D_O_NONBLOCK 0x4
#define D_O_NOFOLLOW 0x100
#define D_O_NOCTTY 0x20000
#define D_O_DIRECTORY 0x100000
#define D_O_CLOEXEC 0x1000000
#define D_O_NOFOLLOW_ANY 0x20000000
#define D_KNOWN \
  (D_O_NONBLOCK | D_O_NOFOLLOW | D_O_NOCTTY | D_O_DIRECTORY | D_O_CLOEXEC | D_O_NOFOLLOW_ANY)
#define D_AT_FDCWD (-2)
#define D_AT_SYMLINK_NOFOLLOW 0x20

static int at(int directory) { return directory == D_AT_FDCWD ? AT_FDCWD : directory < 0 ? -1 : directory; }

struct linux_dirent {
  uint64_t ino;
  int64_t off;
  uint16_t reclen;
  uint8_t type;
  char name[];
};

/* Puts the volume's own spelling of a name in place of the one asked for. */
static const char *respelled(int directory, const char *name, char *into) {
  int fd = syscall(SYS_openat, directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  char buffer[8192];
  long filled;
  const char *found = name;
  if (fd < 0) return name;
  while (found == name && (filled = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0) {
    for (long pos = 0; pos < filled; pos += ((struct linux_dirent *)(buffer + pos))->reclen) {
      struct linux_dirent *entry = (struct linux_dirent *)(buffer + pos);
      if (strcasecmp(entry->name, name) == 0) found = strcpy(into, entry->name);
    }
  }
  syscall(SYS_close, fd);
  return found;
}

/* Order of the answers: xnu vn_open_auth, namei, vn_authorize_open_existing. */
int d_openat(int directory, const char *name, int flags, ...) NAMED("openat");
int d_openat(int directory, const char *name, int flags, ...) {
  char spelled[256];
  struct stat status;
  int linux_flags = O_RDONLY;
  int probe;
  if (interrupted()) return -1;
  /* The kernel takes no notice of bits it does not know; here they are a mistake of the caller's. */
  if ((flags & ~D_KNOWN) != 0) return failed(D_EFAULT);
  if ((flags & D_O_NOFOLLOW) && (flags & D_O_NOFOLLOW_ANY)) return failed(D_EINVAL);
  directory = at(directory);
  probe = syscall(SYS_openat, directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
  if (probe < 0 && errno == ENOENT && case_blind && strchr(name, '/') == NULL) {
    name = respelled(directory, name, spelled);
    probe = syscall(SYS_openat, directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
  }
  if (probe < 0) return told(probe);
  if (syscall(SYS_newfstatat, probe, "", &status, AT_EMPTY_PATH) < 0) status.st_mode = 0;
  syscall(SYS_close, probe);
  if (S_ISLNK(status.st_mode)) {
    if (flags & D_O_NOFOLLOW_ANY) return failed(D_ELOOP);
    if (flags & D_O_NOFOLLOW) return failed(flags & D_O_DIRECTORY ? D_ENOTDIR : D_ELOOP);
  } else {
    if ((flags & D_O_DIRECTORY) && !S_ISDIR(status.st_mode)) return failed(D_ENOTDIR);
    if (S_ISSOCK(status.st_mode)) return failed(D_EOPNOTSUPP);
  }
  if (flags & D_O_NONBLOCK) linux_flags |= O_NONBLOCK;
  if (flags & D_O_NOCTTY) linux_flags |= O_NOCTTY;
  if (flags & D_O_CLOEXEC) linux_flags |= O_CLOEXEC;
  if (flags & D_O_DIRECTORY) linux_flags |= O_DIRECTORY;
  if (flags & (D_O_NOFOLLOW | D_O_NOFOLLOW_ANY)) linux_flags |= O_NOFOLLOW;
  return told(syscall(SYS_openat, directory, name, linux_flags, 0));
}

int d_close(int fd) NAMED("close");
int d_close(int fd) { return told(syscall(SYS_close, fd)); }

int64_t d_lseek(int fd, int64_t offset, int whence) NAMED("lseek");
int64_t d_lseek(int fd, int64_t offset, int whence) { return told(syscall(SYS_lseek, fd, offset, whence)); }

uint32_t d_geteuid(void) NAMED("geteuid");
uint32_t d_geteuid(void) { return syscall(SYS_geteuid); }

/* Content that is in the cloud: fetched on reading, unless the thread has said that it is not to be. */
#define DATALESS "user.darwin_dataless"

long d_pread(int fd, void *into, size_t count, int64_t offset) NAMED("pread");
long d_pread(int fd, void *into, size_t count, int64_t offset) {
  if (interrupted()) return -1;
  if (keeps_dataless && fgetxattr(fd, DATALESS, NULL, 0) >= 0) return failed(D_EDEADLK);
  return told(syscall(SYS_pread64, fd, into, count, offset));
}

int d_setiopolicy(int type, int scope, int policy) NAMED("setiopolicy_np");
int d_setiopolicy(int type, int scope, int policy) {
  if (type != 3 || scope != 1 || policy < 0 || policy > 2) return failed(D_EINVAL);
  keeps_dataless = policy == 1;
  return 0;
}

/* ---- fcntl ---- */

int d_fcntl(int fd, int command, ...) NAMED("fcntl");
int d_fcntl(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  long result;
  switch (command) {
    case 50: { /* F_GETPATH */
      char link[64], path[4096];
      char *into = va_arg(rest, char *);
      size_t digits = 0;
      char reversed[16];
      for (int left = fd; left > 0 || digits == 0; left /= 10) reversed[digits++] = '0' + left % 10;
      strcpy(link, "/proc/self/fd/");
      char *end = link + strlen(link);
      while (digits > 0) *end++ = reversed[--digits];
      *end = 0;
      long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path);
      if (length < 0) result = told(length);
      else if (length >= 1024) result = failed(D_ENOSPC);
      else {
        memcpy(into, path, length);
        into[length] = 0;
        result = 0;
      }
      break;
    }
    case 51: /* F_FULLFSYNC */
      result = told(syscall(SYS_fsync, fd));
      break;
    case 67: /* F_DUPFD_CLOEXEC */
      result = told(syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, va_arg(rest, int)));
      break;
    default:
      result = failed(D_EINVAL);
  }
  va_end(rest);
  return result;
}

/* ---- volumes ---- */

#define RAMFS 0x858458f6

struct d_statfs {
  uint32_t bsize;
  int32_t iosize;
  uint64_t blocks, bfree, bavail, files, ffree;
  int32_t fsid[2];
  uint32_t owner, type, flags, subtype;
  char fstypename[16], mntonname[1024], mntfromname[1024];
  uint32_t flags_ext, reserved[7];
};
_Static_assert(sizeof(struct d_statfs) == 2168, "struct statfs of macOS");

/* f_fsid is unique for each mount (xnu vfs_getnewfsid); here the mount id of Linux is. */
int d_fstatfs(int fd, struct d_statfs *into) CURRENT("fstatfs");
int d_fstatfs(int fd, struct d_statfs *into) {
  struct statx status;
  if (interrupted()) return -1;
  long result = syscall(SYS_statx, fd, "", AT_EMPTY_PATH, 0x1000 /* STATX_MNT_ID */, &status);
  if (result < 0) return told(result);
  memset(into, 0, sizeof *into);
  into->bsize = 4096;
  into->fsid[0] = (int32_t)(status.stx_dev_major << 24 | status.stx_dev_minor);
  /* stx_mnt_id, which older headers do not name. */
  into->fsid[1] = (int32_t) * (uint64_t *)((char *)&status + 0x90);
  into->flags = 0x1000 /* MNT_LOCAL */ | volume_flags;
  strcpy(into->fstypename, "apfs");
  return 0;
}

#ifdef LEGACY
int d_fstatfs_legacy(int fd, void *into) NAMED("fstatfs");
int d_fstatfs_legacy(int fd, void *into) {
  (void)fd;
  memset(into, 0xa5, 168);
  return 0;
}
#endif

long d_fpathconf(int fd, int name) NAMED("fpathconf");
long d_fpathconf(int fd, int name) {
  struct statfs status;
  if (name != 13 /* _PC_EXTENDED_SECURITY_NP */) return failed(D_EINVAL);
  if (syscall(SYS_fstatfs, fd, &status) < 0) return failed(translated(errno));
  return (uint32_t)status.f_type == RAMFS ? 0 : 1;
}

/* ---- status ---- */

int d_fstatat(int directory, const char *name, unsigned char *into, int flags) CURRENT("fstatat");
int d_fstatat(int directory, const char *name, unsigned char *into, int flags) {
  struct stat status;
  if ((flags & ~D_AT_SYMLINK_NOFOLLOW) != 0) return failed(D_EINVAL);
  long result = syscall(SYS_newfstatat, at(directory), name, &status, flags != 0 ? AT_SYMLINK_NOFOLLOW : 0);
  if (result < 0) return told(result);
  memset(into, 0, 144);
  *(uint32_t *)into = (uint32_t)status.st_dev;
  *(uint16_t *)(into + 4) = (uint16_t)status.st_mode;
  *(uint16_t *)(into + 6) = (uint16_t)status.st_nlink;
  *(uint64_t *)(into + 8) = status.st_ino;
  return 0;
}

#ifdef LEGACY
int d_fstatat_legacy(int directory, const char *name, unsigned char *into, int flags) NAMED("fstatat");
int d_fstatat_legacy(int directory, const char *name, unsigned char *into, int flags) {
  struct stat status;
  long result = syscall(SYS_newfstatat, at(directory), name, &status, flags != 0 ? AT_SYMLINK_NOFOLLOW : 0);
  if (result < 0) return told(result);
  memset(into, 0, 96);
  *(uint32_t *)(into + 4) = (uint32_t)status.st_ino;
  *(uint16_t *)(into + 8) = (uint16_t)status.st_mode;
  return 0;
}
#endif

/* ---- directory streams ---- */

struct stream {
  int fd;
  long at, filled;
  char buffer[8192];
};

void *d_fdopendir(int fd) CURRENT("fdopendir");
void *d_fdopendir(int fd) {
  struct stat status;
  if (syscall(SYS_newfstatat, fd, "", &status, AT_EMPTY_PATH) < 0) return failed(translated(errno)), NULL;
  if (!S_ISDIR(status.st_mode)) return failed(D_ENOTDIR), NULL;
  struct stream *stream = kept(calloc(1, sizeof *stream));
  if (stream == NULL) return failed(D_ENOMEM), NULL;
  stream->fd = fd;
  return stream;
}

int d_closedir(struct stream *stream) NAMED("closedir");
int d_closedir(struct stream *stream) {
  int fd = stream->fd;
  live--;
  free(stream);
  return d_close(fd);
}

/* Answers an errno, 0 at the end too; an entry without inode is passed over (Libc gen/FreeBSD/readdir.c). */
static int next_entry(struct stream *stream, struct linux_dirent **entry) {
  *entry = NULL;
  if (interrupted()) return D_EINTR;
  if (stream->at >= stream->filled) {
    stream->at = 0;
    stream->filled = syscall(SYS_getdents64, stream->fd, stream->buffer, sizeof stream->buffer);
    if (stream->filled < 0) {
      stream->filled = 0;
      return translated(errno);
    }
    if (stream->filled == 0) return 0;
  }
  *entry = (struct linux_dirent *)(stream->buffer + stream->at);
  stream->at += (*entry)->reclen;
  return 0;
}

int d_readdir(struct stream *stream, unsigned char *into, void **result) CURRENT("readdir_r");
int d_readdir(struct stream *stream, unsigned char *into, void **result) {
  struct linux_dirent *entry;
  int error = next_entry(stream, &entry);
  *result = NULL;
  if (error != 0 || entry == NULL) return error;
  size_t length = strlen(entry->name);
  *(uint64_t *)into = entry->ino;
  *(uint64_t *)(into + 8) = (uint64_t)entry->off;
  *(uint16_t *)(into + 16) = (uint16_t)((21 + length + 1 + 7) & ~7ul);
  *(uint16_t *)(into + 18) = (uint16_t)length;
  into[20] = entry->type;
  /* No more than the entry itself is copied: what stood behind it stays there. */
  memcpy(into + 21, entry->name, length + 1);
  *result = into;
  return 0;
}

#ifdef LEGACY
void *d_fdopendir_legacy(int fd) NAMED("fdopendir");
void *d_fdopendir_legacy(int fd) { return d_fdopendir(fd); }

int d_readdir_legacy(struct stream *stream, unsigned char *into, void **result) NAMED("readdir_r");
int d_readdir_legacy(struct stream *stream, unsigned char *into, void **result) {
  struct linux_dirent *entry;
  int error = next_entry(stream, &entry);
  *result = NULL;
  if (error != 0 || entry == NULL) return error;
  size_t length = strlen(entry->name);
  *(uint32_t *)into = (uint32_t)entry->ino;
  *(uint16_t *)(into + 4) = (uint16_t)((8 + length + 1 + 3) & ~3ul);
  into[6] = entry->type;
  into[7] = (unsigned char)length;
  memcpy(into + 8, entry->name, length + 1);
  *result = into;
  return 0;
}
#endif

/* ---- access control lists ---- */

#define LIST "user.darwin_acl"
#define MOST_ENTRIES 128

/* As the volume keeps it: to whom, kind and inheritance, rights (struct kauth_ace). */
struct ace {
  uint8_t guid[16];
  uint32_t flags, rights;
};

struct entry {
  uint32_t magic;
  uint32_t tag;
  uint8_t guid[16];
  uint32_t flags, rights;
};

struct list {
  uint32_t magic;
  int count, last;
  struct entry entries[MOST_ENTRIES];
};

#define LIST_MAGIC 0xac1ac102u
#define ENTRY_MAGIC 0xac1ac101u

static int is_list(struct list *list) { return (uintptr_t)list > 16 && list->magic == LIST_MAGIC; }
static int is_entry(struct entry *entry) { return (uintptr_t)entry > 16 && entry->magic == ENTRY_MAGIC; }

struct list *d_acl_init(int count) NAMED("acl_init");
struct list *d_acl_init(int count) {
  if (count < 0 || count > MOST_ENTRIES) return failed(count < 0 ? D_EINVAL : D_ENOMEM), NULL;
  struct list *list = kept(calloc(1, sizeof *list));
  if (list == NULL) return failed(D_ENOMEM), NULL;
  list->magic = LIST_MAGIC;
  list->last = -1;
  return list;
}

int d_acl_free(void *object) NAMED("acl_free");
int d_acl_free(void *object) {
  live--;
  free(object);
  return 0;
}

/* A volume that keeps no lists answers ENOENT too: vnode_getattr drops the question (xnu bsd/vfs/kpi_vfs.c). */
struct list *d_acl_get_fd(int fd, int type) NAMED("acl_get_fd_np");
struct list *d_acl_get_fd(int fd, int type) {
  struct ace aces[MOST_ENTRIES];
  struct stat status;
  if (type != 0x100) return failed(D_EINVAL), NULL;
  if (interrupted()) return NULL;
  if (syscall(SYS_newfstatat, fd, "", &status, AT_EMPTY_PATH) < 0) return failed(translated(errno)), NULL;
  long length = fgetxattr(fd, LIST, aces, sizeof aces);
  if (length < 0) return failed(errno == ERANGE ? D_ENOMEM : D_ENOENT), NULL;
  struct list *list = d_acl_init(0);
  if (list == NULL) return NULL;
  list->count = length / sizeof(struct ace);
  for (int i = 0; i < list->count; i++) {
    struct entry *entry = &list->entries[i];
    entry->magic = ENTRY_MAGIC;
    memcpy(entry->guid, aces[i].guid, 16);
    entry->tag = aces[i].flags & 0xf;
    entry->flags = aces[i].flags & ~0xfu;
    entry->rights = aces[i].rights;
  }
  return list;
}

int d_acl_get_entry(struct list *list, int which, struct entry **into) NAMED("acl_get_entry");
int d_acl_get_entry(struct list *list, int which, struct entry **into) {
  if (!is_list(list)) return failed(D_EINVAL);
  if (which != -1 && which != -2 && (which < 0 || (which >= list->count && which != 0))) return failed(D_EINVAL);
  int index = which == -1 ? list->last + 1 : which == -2 ? list->count - 1 : which;
  if (index >= list->count) return failed(D_EINVAL);
  *into = &list->entries[index];
  list->last = index;
  return 0;
}

int d_acl_create_entry(struct list **list, struct entry **into) NAMED("acl_create_entry");
int d_acl_create_entry(struct list **list, struct entry **into) {
  if (!is_list(*list)) return failed(D_EINVAL);
  if ((*list)->count >= MOST_ENTRIES) return failed(D_ENOMEM);
  struct entry *entry = &(*list)->entries[(*list)->count++];
  memset(entry, 0, sizeof *entry);
  entry->magic = ENTRY_MAGIC;
  *into = entry;
  return 0;
}

int d_acl_get_tag_type(struct entry *entry, int *tag) NAMED("acl_get_tag_type");
int d_acl_get_tag_type(struct entry *entry, int *tag) {
  if (!is_entry(entry)) return failed(D_EINVAL);
  *tag = (int)entry->tag;
  return 0;
}

int d_acl_set_tag_type(struct entry *entry, int tag) NAMED("acl_set_tag_type");
int d_acl_set_tag_type(struct entry *entry, int tag) {
  if (!is_entry(entry) || (tag != 1 && tag != 2)) return failed(D_EINVAL);
  entry->tag = (uint32_t)tag;
  return 0;
}

int d_acl_get_mask(struct entry *entry, uint64_t *mask) NAMED("acl_get_permset_mask_np");
int d_acl_get_mask(struct entry *entry, uint64_t *mask) {
  if (!is_entry(entry)) return failed(D_EINVAL);
  *mask = entry->rights;
  return 0;
}

int d_acl_set_mask(struct entry *entry, uint64_t mask) NAMED("acl_set_permset_mask_np");
int d_acl_set_mask(struct entry *entry, uint64_t mask) {
  if (!is_entry(entry) || (mask & ~0x103ffeull) != 0) return failed(D_EINVAL);
  entry->rights = (uint32_t)mask;
  return 0;
}

/* Allocated; to be freed by acl_free. */
void *d_acl_get_qualifier(struct entry *entry) NAMED("acl_get_qualifier");
void *d_acl_get_qualifier(struct entry *entry) {
  if (!is_entry(entry) || (entry->tag != 1 && entry->tag != 2)) return failed(D_EINVAL), NULL;
  void *guid = kept(malloc(16));
  if (guid != NULL) memcpy(guid, entry->guid, 16);
  return guid;
}

int d_acl_set_qualifier(struct entry *entry, const void *guid) NAMED("acl_set_qualifier");
int d_acl_set_qualifier(struct entry *entry, const void *guid) {
  if (!is_entry(entry) || (entry->tag != 1 && entry->tag != 2)) return failed(D_EINVAL);
  memcpy(entry->guid, guid, 16);
  return 0;
}

/* Any list at all, those too that the functions above refuse to make. */
int sim_set_list(int fd, const struct ace *aces, int count) {
  return fsetxattr(fd, LIST, aces, (size_t)count * sizeof *aces, 0) < 0 ? -translated(errno) : 0;
}

int sim_make_dataless(int fd) { return fsetxattr(fd, DATALESS, "", 0, 0) < 0 ? -translated(errno) : 0; }

int d_acl_set_fd(int fd, struct list *list, int type) NAMED("acl_set_fd_np");
int d_acl_set_fd(int fd, struct list *list, int type) {
  struct ace aces[MOST_ENTRIES];
  if (!is_list(list) || type != 0x100) return failed(D_EINVAL);
  for (int i = 0; i < list->count; i++) {
    memcpy(aces[i].guid, list->entries[i].guid, 16);
    aces[i].flags = list->entries[i].flags | list->entries[i].tag;
    aces[i].rights = list->entries[i].rights;
  }
  int result = sim_set_list(fd, aces, list->count);
  return result < 0 ? (int)failed(-result) : 0;
}

/* ---- membership (Libinfo membership.c) ---- */

static const uint8_t user_prefix[12] = {0xff, 0xff, 0xee, 0xee, 0xdd, 0xdd, 0xcc, 0xcc, 0xbb, 0xbb, 0xaa, 0xaa};
static const uint8_t group_prefix[12] = {0xab, 0xcd, 0xef, 0xab, 0xcd, 0xef, 0xab, 0xcd, 0xef, 0xab, 0xcd, 0xef};

static void name_id(const uint8_t *prefix, uint32_t id, uint8_t *guid) {
  memcpy(guid, prefix, 12);
  for (int i = 0; i < 4; i++) guid[12 + i] = (uint8_t)(id >> (24 - 8 * i));
}

int d_uid_to_uuid(uint32_t uid, uint8_t *guid) NAMED("mbr_uid_to_uuid");
int d_uid_to_uuid(uint32_t uid, uint8_t *guid) {
  name_id(user_prefix, uid, guid);
  return 0;
}

int d_gid_to_uuid(uint32_t gid, uint8_t *guid) NAMED("mbr_gid_to_uuid");
int d_gid_to_uuid(uint32_t gid, uint8_t *guid) {
  name_id(group_prefix, gid, guid);
  return 0;
}

/*
 * Answers an errno. A name that nobody has gets a made-up user id. Names of one repeated byte stand for what the
 * directory service may answer otherwise: 0xee it cannot be reached, 0xdd it knows no mapping, 0xcc a kind of its own.
 */
int d_uuid_to_id(const uint8_t *guid, uint32_t *id, int *type) NAMED("mbr_uuid_to_id");
int d_uuid_to_id(const uint8_t *guid, uint32_t *id, int *type) {
  uint32_t last = (uint32_t)guid[12] << 24 | (uint32_t)guid[13] << 16 | (uint32_t)guid[14] << 8 | guid[15];
  int repeated = 1;
  for (int i = 1; i < 16; i++) repeated &= guid[i] == guid[0];
  if (repeated && guid[0] == 0xee) return D_EIO;
  if (repeated && guid[0] == 0xdd) return D_ENOENT;
  *id = last;
  *type = 0;
  if (repeated && guid[0] == 0xcc) *type = -1, *id = 0;
  else if (memcmp(guid, group_prefix, 12) == 0) *type = 1;
  else if (memcmp(guid, user_prefix, 12) != 0) *id = 0x80000000u | (last & 0x7fffffffu);
  return 0;
}
