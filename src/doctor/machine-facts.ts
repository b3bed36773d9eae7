/** The facts about a machine. They are plain values without secrets, so that the diagnosis is a pure function. */
import type { BreakerKey } from '../protocol/breaker.ts';
import type { DiskSpace } from '../host/files/disk-space.ts';
import type { FolderState } from '../host/files/usable-folder.ts';
import type { Machine, SqliteTrial } from '../host/machine/machine.ts';
import type { OsRelease } from '../host/machine/os-release.ts';
import type { JournalHealth } from '../store/facts-check.ts';
import type { DatabaseHealth } from '../store/postgres/check-database.ts';

/** The result of a program that only has to print something and exit. */
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

/** A program's version, and the result of a real use. Null if that was not tried. */
export type ProbeTrial = { readonly version: ProbeAnswer; readonly trial: ProbeAnswer | null };

/** A login of an agent CLI. Only its existence is known, never its content. */
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

/** An agent that the settings of the user, or of a trusted project, declare. */
export type OwnAgentFacts = {
  readonly id: string;
  readonly isOfProject: boolean;
  readonly cli: string;
  readonly model: string | null;
  readonly logins: readonly LoginFact[];
  /** The first word of the command of a custom agent, and where it was found. Null: another CLI, or not found. */
  readonly program: string | null;
  readonly path: string | null;
};

/** The switches of a Linux kernel that keep ordinary users from creating namespaces. Null if absent. */
export type NamespaceSwitches = {
  readonly apparmorRestricts: boolean | null;
  readonly usersMay: boolean | null;
  readonly max: number | null;
};

/** The result of the canary probes in a sandbox. */
export type SandboxTrial = {
  /** Why a probe failed. Null if all passed. */
  readonly why: string | null;
  /** The limits that are not enforced on this machine. */
  readonly loose: readonly string[];
};

export type MachineFacts = Machine & {
  readonly at: number;
  readonly os: OsRelease | undefined;
  /** Such as `docker`. Undefined outside of a container. */
  readonly container: string | undefined;
  /** The name of the CI system that started this process. */
  readonly ci: string | undefined;
  readonly hasSystemd: boolean;
  readonly sqlite: SqliteTrial;
  readonly git: ProbeAnswer;
  readonly namespaces: NamespaceSwitches;
  /** As root the trial runs as another user, which needs `setpriv`. */
  readonly bubblewrap: ProbeTrial;
  /** The result of the canary probes in bubblewrap. Null if that was not tried. */
  readonly hold: SandboxTrial | null;
  readonly docker: ProbeAnswer;
  readonly podman: ProbeTrial;
  readonly seatbelt: ProbeAnswer;
  readonly agents: readonly AgentFacts[];
  /** Absent: no settings were read. */
  readonly ownAgents?: readonly OwnAgentFacts[];
  readonly state: FolderState & { readonly path: string; readonly disk: DiskSpace | undefined };
  /** Why the settings of the user or of this project can't be read, with file and line. Absent: they can. */
  readonly settingsProblem?: string;
  /** The steps whose circuit breakers the running owner has open. Absent: no owner runs. */
  readonly openBreakers?: readonly BreakerKey[];
  /** The database that has the journal in place of the file. Absent: none has, or it was not checked. */
  readonly database?: DatabaseHealth;
  /** What is damaged in the file of the journal. Null if it was not checked. */
  readonly journal: JournalHealth | null;
};
