/** What was seen on a machine. Plain values, no secret among them, so that judging them is a function. */
import type { DiskSpace } from '../host/disk-space.ts';
import type { Folder } from '../host/folder.ts';
import type { Machine, SqliteTrial } from '../host/machine.ts';
import type { OsRelease } from '../host/os-release.ts';

/** What came of starting a program that only has to say something and end. */
export type Answer =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'ended';
      readonly path: string;
      readonly ok: boolean;
      /** Such as `exited with code 1`. */
      readonly how: string;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly kind: 'unanswered'; readonly path: string; readonly afterMs: number }
  | { readonly kind: 'flooded'; readonly path: string; readonly bytesMax: number };

/** A program's version, and what it did when it was really used; null when that was not tried. */
export type Tried = { readonly version: Answer; readonly trial: Answer | null };

/** A way in for an agent CLI. Only that it exists was looked at, never what it is. */
export type LoginFact =
  | { readonly kind: 'variable'; readonly name: string }
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly expiresAt: number | null;
      /** Whether the CLI can renew it by itself. */
      readonly renews: boolean;
    }
  | { readonly kind: 'unreadable'; readonly path: string };

export type AgentFacts = {
  readonly cli: string;
  readonly version: Answer;
  readonly logins: readonly LoginFact[];
};

/** The switches of a Linux kernel that keep ordinary users from making namespaces; null where absent. */
export type NamespaceSwitches = {
  readonly apparmorRestricts: boolean | null;
  readonly usersMay: boolean | null;
  readonly max: number | null;
};

/** What came of a canary in a sandbox. */
export type HoldTrial = {
  /** Why it was not held, or null when it was. */
  readonly why: string | null;
  /** The limits that nothing enforces on this machine. */
  readonly loose: readonly string[];
};

export type MachineFacts = Machine & {
  readonly at: number;
  readonly os: OsRelease | undefined;
  /** Such as `docker`; undefined on a machine of its own. */
  readonly container: string | undefined;
  /** The name of the CI system that started us. */
  readonly ci: string | undefined;
  readonly hasSystemd: boolean;
  readonly sqlite: SqliteTrial;
  readonly git: Answer;
  readonly namespaces: NamespaceSwitches;
  /** As root its trial runs as another user, which takes `setpriv`. */
  readonly bubblewrap: Tried;
  /** Whether bubblewrap held a canary; null when that was not tried. */
  readonly hold: HoldTrial | null;
  readonly docker: Answer;
  readonly podman: Tried;
  readonly seatbelt: Answer;
  readonly agents: readonly AgentFacts[];
  readonly state: Folder & { readonly path: string; readonly disk: DiskSpace | undefined };
};
