/** What was seen on a machine. Plain values, no secret among them, so that judging them is a function. */
import type { DiskSpace } from '../host/files/disk-space.ts';
import type { FolderState } from '../host/files/usable-folder.ts';
import type { Machine, SqliteTrial } from '../host/machine/machine.ts';
import type { OsRelease } from '../host/machine/os-release.ts';
import type { JournalHealth } from '../store/sqlite/check-journal.ts';

/** What came of starting a program that only has to say something and end. */
export type ProbeAnswer =
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
export type ProbeTrial = { readonly version: ProbeAnswer; readonly trial: ProbeAnswer | null };

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
  readonly version: ProbeAnswer;
  readonly logins: readonly LoginFact[];
};

/** The switches of a Linux kernel that keep ordinary users from making namespaces; null where absent. */
export type NamespaceSwitches = {
  readonly apparmorRestricts: boolean | null;
  readonly usersMay: boolean | null;
  readonly max: number | null;
};

/** What came of a canary in a sandbox. */
export type OwnerStateTrial = {
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
  readonly git: ProbeAnswer;
  readonly namespaces: NamespaceSwitches;
  /** As root its trial runs as another user, which takes `setpriv`. */
  readonly bubblewrap: ProbeTrial;
  /** Whether bubblewrap held a canary; null when that was not tried. */
  readonly hold: OwnerStateTrial | null;
  readonly docker: ProbeAnswer;
  readonly podman: ProbeTrial;
  readonly seatbelt: ProbeAnswer;
  readonly agents: readonly AgentFacts[];
  readonly state: FolderState & { readonly path: string; readonly disk: DiskSpace | undefined };
  /** What is damaged in the journal; null when it was not looked into. */
  readonly journal: JournalHealth | null;
};
