import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { allowedCalls } from '../system-calls.ts';
import { refusedCalls, seccompFilter } from './seccomp.ts';

const X64 = 0xc000003e;

type Call = { readonly arch?: number; readonly number: number; readonly args?: readonly number[] };

/** Simulates the kernel: runs the filter program for one call and returns its result. */
function runFilter(filter: Uint8Array, { arch = X64, number, args = [] }: Call): number {
  const program = Buffer.from(filter);
  const callData = Buffer.alloc(64);
  callData.writeUInt32LE(number >>> 0, 0);
  callData.writeUInt32LE(arch >>> 0, 4);
  for (const [index, value] of args.entries()) callData.writeUInt32LE(value >>> 0, 16 + 8 * index);
  let accumulator = 0;
  for (let at = 0; at < program.length / 8; at += 1) {
    const code = program.readUInt16LE(at * 8);
    const [yes, no] = [program.readUInt8(at * 8 + 2), program.readUInt8(at * 8 + 3)];
    const value = program.readUInt32LE(at * 8 + 4);
    switch (code) {
      case 0x20:
        accumulator = callData.readUInt32LE(value);
        break;
      case 0x15:
        at += accumulator === value ? yes : no;
        break;
      case 0x35:
        at += accumulator >= value ? yes : no;
        break;
      case 0x25:
        at += accumulator > value ? yes : no;
        break;
      case 0x45:
        at += (accumulator & value) === 0 ? no : yes;
        break;
      case 0x06:
        return value;
      default:
        assert.fail(`an instruction that the kernel does not know: ${code}`);
    }
  }
  return assert.fail('the program has no end');
}

const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const KILL = 0x80000000;

describe('the filter for x64', () => {
  const filter = seccompFilter('x64') ?? new Uint8Array();
  const calls: [why: string, call: Call, answer: number][] = [
    ['reading is allowed', { number: 0 }, ALLOW],
    ['starting a program is allowed', { number: 59 }, ALLOW],
    ['ptrace is refused', { number: 101 }, EPERM],
    ['mount is refused', { number: 165 }, EPERM],
    ['unshare is refused', { number: 272, args: [0] }, EPERM],
    ['bpf is refused', { number: 321 }, EPERM],
    ['keyctl is refused', { number: 250 }, EPERM],
    ['io_uring is refused', { number: 425 }, EPERM],
    ['a new mount with the newer call is refused', { number: 429 }, EPERM],
    ['a thread is allowed', { number: 56, args: [0x3d0f00] }, ALLOW],
    ['a fork is allowed', { number: 56, args: [17] }, ALLOW],
    ['a process in a new user namespace is refused', { number: 56, args: [0x10000011] }, EPERM],
    ['a process in a new network is refused', { number: 56, args: [0x40000011] }, EPERM],
    ['userfaultfd is refused', { number: 323 }, EPERM],
    ['L9: a call that the kernel got after this list does not exist', { number: 470 }, ENOSYS],
    ['L9: a call between allowed ones does not exist', { number: 180 }, ENOSYS],
    ['file handles are unavailable', { number: 303 }, ENOSYS],
    ['changing modes with the newer call is allowed', { number: 452 }, ALLOW],
    ['clone3, which hides its flags, does not exist', { number: 435 }, ENOSYS],
    ['asking a terminal for its size is allowed', { number: 16, args: [0, 0x5413] }, ALLOW],
    ['typing for the user is refused', { number: 16, args: [0, 0x5412] }, EPERM],
    ['pasting for the user is refused', { number: 16, args: [0, 0x541c] }, EPERM],
    ['a TCP socket is allowed', { number: 41, args: [2, 1] }, ALLOW],
    ['a unix socket is allowed', { number: 41, args: [1, 1] }, ALLOW],
    ['a packet socket is refused', { number: 41, args: [17, 3] }, EPERM],
    ['a socket to a virtual machine is refused', { number: 41, args: [40, 1] }, EPERM],
    ['calls with x32 numbers are refused', { number: 0x40000000 }, EPERM],
    ['calls of another architecture kill the process', { arch: 0x40000003, number: 0 }, KILL],
  ];
  for (const [why, call, answer] of calls)
    test(why, () => assert.equal(runFilter(filter, call), answer));

  test('gives an answer for every call', () => {
    const word = fc.integer({ min: 0, max: 0xffffffff });
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 6 }), (number, args) => {
        assert.ok([ALLOW, EPERM, ENOSYS].includes(runFilter(filter, { number, args })));
      }),
      { numRuns: 500 },
    );
  });
});

describe('the filter', () => {
  test('L9: allows no call that it refuses', () => {
    for (const arch of ['x64', 'arm64'] as const)
      for (const name of refusedCalls(arch)) assert.ok(!allowedCalls().includes(name), name);
  });

  test('for arm64 refuses ptrace by its own number', () => {
    const filter = seccompFilter('arm64') ?? new Uint8Array();
    const arm = { arch: 0xc00000b7 };
    assert.equal(runFilter(filter, { ...arm, number: 117 }), EPERM);
    assert.equal(runFilter(filter, { ...arm, number: 63 }), ALLOW);
    assert.equal(runFilter(filter, { number: 63 }), KILL);
  });

  test('for an unknown architecture is undefined', () => {
    assert.equal(seccompFilter('riscv64'), undefined);
  });

  test('refuses the same calls on both architectures, except those that arm64 never had', () => {
    const missing = refusedCalls('x64').filter((name) => !refusedCalls('arm64').includes(name));
    assert.deepEqual(missing, ['ustat', 'sysfs', '_sysctl', 'iopl', 'ioperm', 'create_module']);
  });
});
