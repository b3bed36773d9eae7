/**
 * The system call filter: a small classic BPF program that the kernel runs at each call. Calls on the shared list are
 * allowed. Dangerous calls fail with EPERM, and every other call fails with ENOSYS, so that programs fall back to
 * older calls.
 */
import { allowedNumbers, CLONE_NEW_ANY, SOCKET_FAMILIES } from '../system-calls.ts';

type Arch = {
  /** The kernel's name for the instruction set: AUDIT_ARCH_*. */
  readonly audit: number;
  /** Calls with this number or a higher one belong to another ABI (x32), which no program here uses. */
  readonly foreignFrom: number | null;
  readonly calls: Readonly<Record<string, number>>;
};

/** Calls that have the same number on every architecture since 2019. */
const NEW_CALLS = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  mount_setattr: 442,
};

const ARCHES: Readonly<Record<'x64' | 'arm64', Arch>> = {
  x64: {
    audit: 0xc000003e,
    foreignFrom: 0x40000000,
    calls: {
      ...NEW_CALLS,
      ptrace: 101,
      syslog: 103,
      personality: 135,
      ustat: 136,
      sysfs: 139,
      pivot_root: 155,
      _sysctl: 156,
      adjtimex: 159,
      chroot: 161,
      acct: 163,
      settimeofday: 164,
      mount: 165,
      umount2: 166,
      swapon: 167,
      swapoff: 168,
      reboot: 169,
      sethostname: 170,
      setdomainname: 171,
      iopl: 172,
      ioperm: 173,
      create_module: 174,
      init_module: 175,
      delete_module: 176,
      quotactl: 179,
      lookup_dcookie: 212,
      clock_settime: 227,
      kexec_load: 246,
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      migrate_pages: 256,
      unshare: 272,
      move_pages: 279,
      perf_event_open: 298,
      open_by_handle_at: 304,
      clock_adjtime: 305,
      setns: 308,
      process_vm_readv: 310,
      process_vm_writev: 311,
      finit_module: 313,
      kexec_file_load: 320,
      bpf: 321,
      userfaultfd: 323,
    },
  },
  arm64: {
    audit: 0xc00000b7,
    foreignFrom: null,
    calls: {
      ...NEW_CALLS,
      lookup_dcookie: 18,
      umount2: 39,
      mount: 40,
      pivot_root: 41,
      chroot: 51,
      quotactl: 60,
      acct: 89,
      personality: 92,
      unshare: 97,
      kexec_load: 104,
      init_module: 105,
      delete_module: 106,
      clock_settime: 112,
      syslog: 116,
      ptrace: 117,
      reboot: 142,
      sethostname: 161,
      setdomainname: 162,
      settimeofday: 170,
      adjtimex: 171,
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      swapon: 224,
      swapoff: 225,
      migrate_pages: 238,
      move_pages: 239,
      perf_event_open: 241,
      open_by_handle_at: 265,
      clock_adjtime: 266,
      setns: 268,
      process_vm_readv: 270,
      process_vm_writev: 271,
      finit_module: 273,
      bpf: 280,
      userfaultfd: 282,
      kexec_file_load: 294,
    },
  },
};

/** Calls that are refused for some arguments only. */
const BY_ARGUMENT: Readonly<Record<'x64' | 'arm64', Readonly<Record<string, number>>>> = {
  x64: { clone: 56, clone3: 435, ioctl: 16, socket: 41 },
  arm64: { clone: 220, clone3: 435, ioctl: 29, socket: 198 },
};

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ABOVE = 0x25;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
/** The offsets at which the kernel puts the call's number, its architecture, and the low half of each argument. */
const NUMBER = 0;
const ARCH = 4;
const argument = (index: number): number => 16 + 8 * index;

const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number];

/** The filter program for an architecture. Undefined if we have no call table for it. */
export function seccompFilter(arch: string): Uint8Array | undefined {
  if (arch !== 'x64' && arch !== 'arm64') return undefined;
  return encode(instructions(ARCHES[arch], BY_ARGUMENT[arch], allowedNumbers(arch)));
}

/** The calls that are refused whatever their arguments. */
export function refusedCalls(arch: 'x64' | 'arm64'): readonly string[] {
  return Object.keys(ARCHES[arch].calls);
}

function instructions(
  { audit, foreignFrom, calls }: Arch,
  special: Readonly<Record<string, number>>,
  allowed: readonly number[],
): readonly Instruction[] {
  const ifCall = (call: string, body: readonly Instruction[]): readonly Instruction[] => [
    [JUMP_EQUAL, 0, body.length, special[call] ?? 0],
    ...body,
  ];
  const refuse: Instruction = [RETURN, 0, 0, EPERM];
  const allow: Instruction = [RETURN, 0, 0, ALLOW];
  const foreign: readonly Instruction[] =
    foreignFrom === null ? [] : [[JUMP_AT_LEAST, 0, 1, foreignFrom], refuse];
  return [
    [LOAD, 0, 0, ARCH],
    [JUMP_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, NUMBER],
    ...foreign,
    ...Object.values(calls).flatMap((number): Instruction[] => [
      [JUMP_EQUAL, 0, 1, number],
      refuse,
    ]),
    ...ifCall('clone', [
      [LOAD, 0, 0, argument(0)],
      [JUMP_ANY_BIT, 0, 1, CLONE_NEW_ANY],
      refuse,
      allow,
    ]),
    // The flags of clone3 are in memory, which a filter cannot read. On ENOSYS, programs fall back to clone.
    ...ifCall('clone3', [[RETURN, 0, 0, ENOSYS]]),
    ...ifCall('ioctl', [
      [LOAD, 0, 0, argument(1)],
      [JUMP_EQUAL, 0, 1, TIOCSTI],
      refuse,
      [JUMP_EQUAL, 0, 1, TIOCLINUX],
      refuse,
      allow,
    ]),
    ...ifCall('socket', [
      [LOAD, 0, 0, argument(0)],
      ...Object.values(SOCKET_FAMILIES).flatMap((family): Instruction[] => [
        [JUMP_EQUAL, 0, 1, family],
        allow,
      ]),
      refuse,
    ]),
    ...toRanges(allowed).flatMap(([first, last]): Instruction[] => [
      [JUMP_AT_LEAST, 0, 2, first],
      [JUMP_ABOVE, 1, 0, last],
      allow,
    ]),
    [RETURN, 0, 0, ENOSYS],
  ];
}

/**
 * Groups sorted numbers into ranges without gaps, because the kernel walks through the whole program at each call.
 */
function toRanges(numbers: readonly number[]): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, jumpTrue, jumpFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(jumpTrue, index * 8 + 2);
    bytes.writeUInt8(jumpFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
