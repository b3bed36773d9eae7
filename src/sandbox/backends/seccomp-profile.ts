/**
 * Our system call filter as a profile for docker and podman. Their default filters allow more calls, and differ
 * between versions.
 */
import { allowedCalls, CLONE_NEW_ANY, SOCKET_FAMILIES } from '../system-calls.ts';

const ENOSYS = 38;
const EPERM = 1;

function allow(names: readonly string[], args: readonly object[] = []): object {
  return { names, action: 'SCMP_ACT_ALLOW', args };
}

function firstArgumentIs(value: number): object {
  return { index: 0, value, valueTwo: 0, op: 'SCMP_CMP_EQ' };
}

/** Every call that is not listed here is refused. */
export function seccompProfile(): string {
  return JSON.stringify({
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: EPERM,
    // No 32-bit calls: their numbers mean other calls, and no program inside needs them.
    architectures: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64'],
    syscalls: [
      // No terminal of the user is inside, so ioctl needs no rule against typing into one.
      allow([...allowedCalls(), 'ioctl']),
      // (flags & value) == 0: allows processes and threads, but no new namespace.
      allow(['clone'], [{ index: 0, value: CLONE_NEW_ANY, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }]),
      ...Object.values(SOCKET_FAMILIES).map((family) =>
        allow(['socket'], [firstArgumentIs(family)]),
      ),
      // The flags of clone3 are in memory, which a filter cannot read. On ENOSYS, programs fall back to clone.
      { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS, args: [] },
    ],
  });
}
