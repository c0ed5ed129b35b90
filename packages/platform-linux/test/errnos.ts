/** Numbers that only the tests name, beside those of the product. */
import { constants } from "node:os"

export const { EACCES, EAGAIN, EINVAL, EIO, EMFILE, ENOSYS, EPERM } = constants.errno
