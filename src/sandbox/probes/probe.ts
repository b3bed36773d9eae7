/**
 * One attempt at something that a sandbox must refuse, or must allow. A script ends with 0 when what it
 * tries has worked. What it is about (a folder outside, a secret, a listener, somebody else's
 * process) is planted by us and named to it in variables, so that it harms nobody where nothing holds it.
 */
import type { Backend } from '../policy.ts';

export type Probe = {
  readonly id: string;
  readonly area: 'files' | 'secrets' | 'network' | 'processes' | 'kernel' | 'limits' | 'works';
  /** What it tries, as the end of a sentence that begins with "to". */
  readonly tries: string;
  readonly script: string;
  readonly expect: 'refused' | 'works';
  /** Where a backend is known to differ, and why that is bearable. */
  readonly except?: Readonly<Partial<Record<Backend, string>>>;
  /**
   * What comes of it without any sandbox, as an ordinary user: `works` shows that the probe can tell;
   * `varies` where the machine itself may refuse it; `unsafe` where nobody should try.
   */
  readonly bare: 'works' | 'varies' | 'unsafe';
  /** It may take others of its sandbox with it, so it has one for itself. */
  readonly alone?: true;
  /** One of the few that are tried before a backend is trusted at all. */
  readonly canary?: true;
  /** Numbers of system calls are those of this architecture. */
  readonly arch?: 'x64';
};

/** A script in perl, which every Debian has and which can make any system call. */
export function perl(program: string): string {
  return `exec perl -e '${program}'`;
}

/** Whether a call gets past the filter: any error but EPERM and ENOSYS means that the kernel looked at it. */
export function systemCall(number: number, ...args: readonly number[]): string {
  return perl(
    `$! = 0; my $r = syscall(${[number, ...args].join(', ')}); exit($r < 0 && ($!+0 == 1 || $!+0 == 38) ? 1 : 0)`,
  );
}
