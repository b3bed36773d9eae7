/**
 * One action that a sandbox must refuse, or must allow. A script ends with 0 if the action worked. Its targets (a
 * folder outside, a secret, a listener, another process) are planted for it and named in variables. So it does no
 * harm if nothing contains it.
 */
import type { Backend } from '../policy.ts';

export type Probe = {
  readonly id: string;
  readonly area: 'files' | 'secrets' | 'network' | 'processes' | 'kernel' | 'limits' | 'works';
  /** What the probe tries, as the end of a sentence that begins with "to". */
  readonly tries: string;
  readonly script: string;
  readonly expect: 'refused' | 'works';
  /** Backends that are known to differ, and why that is acceptable. */
  readonly except?: Readonly<Partial<Record<Backend, string>>>;
  /**
   * The result without any sandbox, as an ordinary user. `works` proves that the probe can detect a breach. `varies`:
   * the machine itself may refuse it. `unsafe`: it must not be tried.
   */
  readonly unsandboxed: 'works' | 'varies' | 'unsafe';
  /** The probe may kill others in its sandbox, so it gets its own. */
  readonly alone?: true;
  /** One of the few probes that run before a backend is trusted at all. */
  readonly canary?: true;
  /** The architecture whose system call numbers the probe uses. */
  readonly arch?: 'x64';
};

/** A perl script. Every Debian has perl, and it can make any system call. */
export function perl(program: string): string {
  return `exec perl -e '${program}'`;
}

/** Whether a call gets past the filter: any error except EPERM and ENOSYS means that the kernel has processed it. */
export function systemCall(number: number, ...args: readonly number[]): string {
  return perl(
    `$! = 0; my $r = syscall(${[number, ...args].join(', ')}); exit($r < 0 && ($!+0 == 1 || $!+0 == 38) ? 1 : 0)`,
  );
}
