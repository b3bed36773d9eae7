/** Our own filter of system calls as a profile for docker and podman, whose own allow more, and not the same in each version. */
import { allowedCalls, CLONE_NEW_ANY, SOCKET_FAMILIES } from '../system-calls.ts';

const ENOSYS = 38;
const EPERM = 1;

function allow(names: readonly string[], args: readonly object[] = []): object {
  return { names, action: 'SCMP_ACT_ALLOW', args };
}

function firstArgumentIs(value: number): object {
  return { index: 0, value, valueTwo: 0, op: 'SCMP_CMP_EQ' };
}

/** Whatever is not named here is refused. */
export function seccompProfile(): string {
  return JSON.stringify({
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: EPERM,
    // No 32-bit calls: their numbers mean other calls, and no program in here needs them.
    architectures: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64'],
    syscalls: [
      // Nothing here has a terminal of the user's, so ioctl needs no rule for typing into one.
      allow([...allowedCalls(), 'ioctl']),
      // (flags & value) == 0: processes and threads, but no new namespace.
      allow(['clone'], [{ index: 0, value: CLONE_NEW_ANY, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }]),
      ...Object.values(SOCKET_FAMILIES).map((family) =>
        allow(['socket'], [firstArgumentIs(family)]),
      ),
      // Its flags lie in memory, out of reach for a filter; programs that are told ENOSYS fall back to clone.
      { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS, args: [] },
    ],
  });
}
