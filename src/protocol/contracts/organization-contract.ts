/** An organization: the roles of its agents, when each of their plans is in effect, and what they report. */

/** The four plans of a role, the mildest first. */
export const PACE_LEVELS = ['primary', 'alternate', 'contingent', 'emergency'] as const;
export type PaceLevel = (typeof PACE_LEVELS)[number];

export const PACE_ACTIONS = [
  'normal_execution',
  'fallback_chain',
  'escalate',
  'abort_and_report',
] as const;
type PaceAction = (typeof PACE_ACTIONS)[number];

/**
 * What a trigger compares. `failures`: since the last success. `context`: its fill from 0 to 1. `unrecoverable`: failures
 * in a row that no other approach helps against, such as a full disk.
 */
export type PaceFact = 'failures' | 'context' | 'turns-without-progress' | 'unrecoverable';

export type PaceCondition = {
  readonly fact: PaceFact;
  readonly operator: '>' | '>=' | '==';
  readonly limit: number;
};

/** One of the lists must hold, and then all of its conditions. Empty: it never fires. */
export type PaceTrigger = readonly (readonly PaceCondition[])[];

export type PacePlan = {
  /** What the role does at this level. */
  readonly description: string;
  readonly action: PaceAction;
  readonly trigger: PaceTrigger;
  readonly escalateTo: string | null;
};

export const ROLE_TYPES = ['specialist', 'executive', 'commander'] as const;
export type RoleType = (typeof ROLE_TYPES)[number];

/** What kind of work the turns of an agent show. */
export const TASK_DOMAINS = [
  'coding',
  'testing',
  'operations',
  'research',
  'conversation',
] as const;
export type TaskDomain = (typeof TASK_DOMAINS)[number];

/** The numbers of a role. */
export type Doctrine = {
  readonly saluteIntervalTurns: number;
  readonly maxTurnsWithoutProgress: number;
  /** Whether the end of its work is reported at once. */
  readonly reportOnCompletion: boolean;
  readonly reportOnFailure: boolean;
};

/** A role of an organization. It is not the role that writes a prompt, but may have its name. */
export type OrganizationRole = {
  readonly id: string;
  readonly name: string;
  readonly type: RoleType;
  readonly reportsTo: string | null;
  readonly domains: readonly TaskDomain[];
  readonly plans: Readonly<Record<PaceLevel, PacePlan>>;
  readonly doctrine: Doctrine;
};

/** A run pins it when it is submitted. */
export type PinnedOrganization = {
  readonly id: string;
  readonly mode: 'microcosm' | 'macrocosm';
  readonly heartbeatSeconds: number;
  readonly roles: readonly OrganizationRole[];
  /** The role of a domain, whatever the domains of the roles say. */
  readonly routing: Readonly<Partial<Record<TaskDomain, string>>>;
};

/** The plan of a role has changed, or the role itself. Recorded while an attempt runs. */
export type PaceNote = {
  readonly kind: 'pace';
  readonly conversation: string;
  /** The turn of the conversation. */
  readonly turn: number;
  readonly role: string;
  readonly level: PaceLevel;
};

/** A report that could not be written. Recorded once for an attempt, which continues. */
export type ReportFailedNote = { readonly kind: 'report-failed'; readonly message: string };
