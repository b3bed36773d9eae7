/** Schemas of the files of an organization: `active.json`, and one file for each role. */
import { z } from 'zod';
import type {
  OrganizationRole,
  PaceLevel,
  PacePlan,
  RoleType,
  TaskDomain,
} from '../protocol/contracts/organization-contract.ts';
import {
  PACE_ACTIONS,
  PACE_LEVELS,
  ROLE_TYPES,
} from '../protocol/contracts/organization-contract.ts';
import type { JsonSchema } from './json-schema.ts';
import { DOMAIN_NAMES, domainNames } from './domain-names.ts';
import { readPaceTrigger } from './pace-trigger.ts';
import type { Immutable } from './schema-fields.ts';
import { KEYS, matching, text, whole } from './schema-fields.ts';

/** It names files, so it has neither slashes nor dots. */
const ROLE_ID = /^[a-z][a-z0-9_-]{0,63}$/;
const roleId = matching(
  ROLE_ID,
  'a name of up to 64 lowercase letters, digits, _ and - that starts with a letter',
);
const line = text(0, 300, 'text of up to 300 characters');
const flag = z.boolean({ error: 'true or false' });
const names = z.array(line, { error: 'a list of names' }).max(100, { error: 'up to 100 names' });
const domain = z.enum(Object.keys(DOMAIN_NAMES) as [string, ...string[]], {
  error: `one of ${domainNames()}`,
});
/** What Supervisor does not use, such as tools of other systems. */
const ignored = z.unknown().optional();
const about = { _schema: line.optional(), _version: line.optional() };

const Plan = z.strictObject(
  {
    description: line.optional(),
    action: z.enum(PACE_ACTIONS, { error: `one of ${PACE_ACTIONS.join(', ')}` }).optional(),
    trigger: text(0, 2000, 'a trigger as text').optional(),
    escalate_to: line.nullable().optional(),
  },
  KEYS,
);

type Defaults = {
  readonly interval: number;
  readonly turns: number;
  readonly failures: readonly [alternate: number, contingent: number];
};
/** Specialists have the shortest leash. */
const DEFAULTS: Readonly<Record<RoleType, Defaults>> = {
  specialist: { interval: 5, turns: 12, failures: [3, 5] },
  executive: { interval: 7, turns: 15, failures: [4, 6] },
  commander: { interval: 10, turns: 20, failures: [5, 8] },
};

const Capabilities = z.strictObject(
  {
    bst_domains: z.array(domain, { error: 'a list of domains' }).max(50).optional(),
    htn_plans: ignored,
    tools_primary: names.optional(),
    tools_secondary: names.optional(),
    skills: names.optional(),
  },
  KEYS,
);

const RoleKeys = z.strictObject(
  {
    ...about,
    role_id: roleId,
    role_name: text(1, 100, 'text of 1 to 100 characters').optional(),
    role_type: z.enum(ROLE_TYPES, { error: `one of ${ROLE_TYPES.join(', ')}` }).optional(),
    description: line.optional(),
    chain_of_command: z
      .strictObject(
        { reports_to: line.nullable().optional(), authority_level: ignored, can_delegate: ignored },
        KEYS,
      )
      .optional(),
    capabilities: Capabilities.optional(),
    requirements: ignored,
    pace_plan: z
      .strictObject(
        {
          primary: Plan.optional(),
          alternate: Plan.optional(),
          contingent: Plan.optional(),
          emergency: Plan.optional(),
        },
        KEYS,
      )
      .optional(),
    doctrine: z
      .strictObject(
        {
          salute_interval_turns: whole(1, 100).optional(),
          max_turns_without_progress: whole(6, 1000).optional(),
          report_on_completion: flag.optional(),
          report_on_failure: flag.optional(),
          autonomous_retry_limit: whole(0, 100).optional(),
        },
        KEYS,
      )
      .optional(),
  },
  KEYS,
);

export const OrganizationRoleFile = RoleKeys.transform((written, context): OrganizationRole => {
  const { role_id: id, role_name: name = id, role_type: type = 'specialist' } = written;
  const defaults = DEFAULTS[type];
  const { doctrine = {}, capabilities = {}, chain_of_command: chain = {} } = written;
  const turnsMax = doctrine.max_turns_without_progress ?? defaults.turns;
  const plans = PACE_LEVELS.map((level): [PaceLevel, PacePlan] => [
    level,
    readPlan(level, written.pace_plan?.[level] ?? {}, defaults, turnsMax, (expected) =>
      context.issues.push({
        code: 'custom',
        message: expected,
        path: ['pace_plan', level, 'trigger'],
        input: written,
      }),
    ),
  ]);
  return {
    id,
    name,
    type,
    reportsTo: chain.reports_to ?? null,
    domains: [...new Set((capabilities.bst_domains ?? []).flatMap(toDomain))],
    plans: Object.fromEntries(plans) as Record<PaceLevel, PacePlan>,
    doctrine: {
      saluteIntervalTurns: doctrine.salute_interval_turns ?? defaults.interval,
      maxTurnsWithoutProgress: turnsMax,
      reportOnCompletion: doctrine.report_on_completion ?? true,
      reportOnFailure: doctrine.report_on_failure ?? true,
    },
  };
});

const PLAN_DEFAULTS: Readonly<Record<PaceLevel, Pick<PacePlan, 'description' | 'action'>>> = {
  primary: { description: 'do the task as planned', action: 'normal_execution' },
  alternate: { description: 'reach the goal with other tools', action: 'fallback_chain' },
  contingent: { description: 'use a different method or ask for help', action: 'escalate' },
  emergency: { description: 'stop and hand the work back', action: 'abort_and_report' },
};

function readPlan(
  level: PaceLevel,
  { description, action, trigger, escalate_to: escalateTo = null }: Immutable<z.infer<typeof Plan>>,
  { failures: [alternate, contingent] }: Defaults,
  turnsMax: number,
  fault: (expected: string) => void,
): PacePlan {
  const standard: Readonly<Record<PaceLevel, string>> = {
    primary: 'none',
    alternate: `failures >= ${alternate}`,
    contingent: `failures >= ${contingent} OR context_fill > 0.85`,
    emergency: 'unrecoverable_error OR turns_without_progress > max * 1.5',
  };
  const read = readPaceTrigger(trigger ?? standard[level], turnsMax);
  if (read.kind === 'fault') fault(read.expected);
  else if (level === 'primary' && read.trigger.length > 0)
    fault('no trigger, because primary is the plan when no other one is triggered');
  return {
    description:
      (description ?? '') === '' ? PLAN_DEFAULTS[level].description : (description ?? ''),
    action: action ?? PLAN_DEFAULTS[level].action,
    trigger: read.kind === 'trigger' ? read.trigger : [],
    escalateTo,
  };
}

function toDomain(name: string): readonly TaskDomain[] {
  const found = DOMAIN_NAMES[name];
  return found === undefined ? [] : [found];
}

const ROLES_MAX = 100;
const Subordinates = z.strictObject(
  {
    role_id: roleId.optional(),
    role_name: line.optional(),
    subordinates: z.array(roleId, { error: 'a list of roles' }).max(ROLES_MAX).optional(),
  },
  KEYS,
);

export const OrganizationFile = z.strictObject(
  {
    ...about,
    org_id: roleId,
    org_name: line.optional(),
    description: ignored,
    mission: ignored,
    hierarchy: z
      .record(roleId, Subordinates, { error: 'roles with their subordinates' })
      .optional(),
    channels: ignored,
    communication_channels: ignored,
    mode: z.enum(['microcosm', 'macrocosm'], { error: 'one of microcosm, macrocosm' }).optional(),
    heartbeat_seconds: whole(1, 3600).optional(),
    domain_routing: z
      .partialRecord(domain, roleId, { error: 'domains with their roles' })
      .optional(),
    defaults: ignored,
    microcosm_config: ignored,
    macrocosm_config: ignored,
  },
  KEYS,
);
export type OrganizationFile = z.infer<typeof OrganizationFile>;

export function organizationFileJsonSchema(): JsonSchema {
  return z.toJSONSchema(OrganizationFile, { io: 'input' }) as JsonSchema;
}

export function organizationRoleJsonSchema(): JsonSchema {
  return z.toJSONSchema(RoleKeys, { io: 'input' }) as JsonSchema;
}
