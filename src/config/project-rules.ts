/**
 * Which settings a project may set, even a trusted one: one entry per key of a configuration file. A key without
 * an entry is refused, and fails a test. `[]` is any item of a list. All levels of the tree share one entry.
 */
import type { Settings } from '../settings/settings.ts';
import { STEERING_KEYS } from './steering-keys.ts';
import { hostName, isPublicHost, isPublicImage } from './public-hosts.ts';

export type ProjectRule =
  /** It affects only the project, or the sandbox limits it. */
  | { readonly kind: 'allowed' }
  /** Only the user's own file may set it. */
  | { readonly kind: 'own'; readonly why: string }
  /**
   * At most, or at least, the value without the project: the user's value of the key `limitKey`, else the default. If
   * there is neither, the project may set anything, up to `max` if that is given.
   */
  | {
      readonly kind: 'at-most' | 'at-least';
      readonly limitKey: string;
      readonly max?: number;
    }
  /** The reason for a refusal; undefined if the value is allowed. */
  | {
      readonly kind: 'checked';
      readonly objection: (
        value: unknown,
        user: Settings,
        project: ProjectRuleContext,
      ) => string | undefined;
    };

export type ProjectRuleContext = {
  /** Why a path is outside the project; undefined if it is inside. */
  readonly outside: (path: string) => string | undefined;
  /** Why the content of a file is not covered by the user's trust; undefined if it is. */
  readonly unhashed: (path: string) => string | undefined;
};

const allowed: ProjectRule = { kind: 'allowed' };
const userOnly = (why: string): ProjectRule => ({ kind: 'own', why });
const atMost = (limitKey: string, max?: number): ProjectRule => ({
  kind: 'at-most',
  limitKey,
  ...(max === undefined ? {} : { max }),
});

const host: ProjectRule = {
  kind: 'checked',
  objection: (value, { gateway }) => {
    if (typeof value !== 'string') return undefined;
    if (!isPublicHost(value)) return 'it is this machine or a private network';
    // The user allowed this host for a provider. Otherwise every agent of the project could reach it on any port.
    const isOpened = gateway.privateHosts.includes(hostName(value));
    return isOpened ? 'your own gateway.private_hosts lists it as a private network' : undefined;
  },
};
const inside: ProjectRule = {
  kind: 'checked',
  objection: (value, _user, { outside }) =>
    typeof value === 'string' ? outside(value) : undefined,
};
const readOnly: ProjectRule = {
  kind: 'checked',
  objection: (value) =>
    value === 'rw' ? 'a project may mount files read-only, not writable' : undefined,
};

const ALL_PROJECTS = 'it applies to all projects';
const LOGIN = 'it decides which login is used';
const VARIABLES =
  'a variable can change what a program runs, where it sends your key, or what it loads';
const CLASSIFIES = 'it decides for all projects how the end of an attempt is classified';
const PRICES = 'a price decides what a budget in dollars allows';
const APPROVALS = 'it decides which changes need the approval of which people';
const TERMINAL = 'your terminal is yours';
const NOTIFIERS = 'it sends what your runs do to other machines';
const OUTSIDE = 'it mounts folders from outside the project';

/** The largest values of the presets, because a project may choose a preset. */
const ATTEMPTS_OF_PRESETS = 30;
const RETRIES_OF_PRESETS = 10;

export const PROJECT_RULES: Readonly<Record<string, ProjectRule>> = {
  version: allowed,
  'agents[].id': {
    kind: 'checked',
    objection: (value, user) => idTaken(String(value), user),
  },
  'agents[].cli': {
    kind: 'checked',
    objection: (value) =>
      value === 'scripted' ? 'scripted agents run outside the sandbox' : undefined,
  },
  'agents[].args[]': allowed,
  'agents[].flags': allowed,
  'agents[].command[]': allowed,
  'agents[].resume_command[]': allowed,
  'agents[].files': userOnly(
    'the settings of a program can name an address, a key, or what it runs',
  ),
  'agents[].output.format': allowed,
  'agents[].output.result': allowed,
  'agents[].output.usage': allowed,
  'agents[].output.usage_fields.input': allowed,
  'agents[].output.usage_fields.output': allowed,
  'agents[].output.usage_fields.cached': allowed,
  'agents[].output.usage_fields.cost': allowed,
  'agents[].output.session': allowed,
  'agents[].output.session_line': allowed,
  'agents[].output.error': allowed,
  'agents[].model': allowed,
  'agents[].config_dir': userOnly(LOGIN),
  'agents[].env': userOnly(VARIABLES),
  default_agent: allowed,
  'selection.mode': allowed,
  'selection.fallbacks': allowed,
  'selection.pinned': allowed,
  'selection.learned': allowed,
  'selection.learned_samples_min': allowed,
  'selection.learned_days': allowed,
  'selection.learned_deviation_max': allowed,
  'recovery.preset': allowed,
  'recovery.retries_per_agent': atMost('recovery.retries_per_agent', RETRIES_OF_PRESETS),
  'recovery.attempts_max': atMost('recovery.attempts_max', ATTEMPTS_OF_PRESETS),
  'recovery.cooldown_s': atMost('recovery.cooldown_s'),
  'recovery.limit_patience_s': atMost('recovery.limit_patience_s'),
  'recovery.wait_for_reset': allowed,
  'recovery.wait_max_s': atMost('recovery.wait_max_s'),
  'recovery.ask': allowed,
  'capacity.runs_max': atMost('capacity.runs_max'),
  'capacity.per_agent_max': atMost('capacity.per_agent_max'),
  'limits.attempts': atMost('limits.attempts'),
  'limits.starts_per_minute': atMost('limits.starts_per_minute'),
  'limits.disk_free': { kind: 'at-least', limitKey: 'limits.disk_free' },
  'attempt.grace': atMost('attempt.grace'),
  'attempt.deadline': atMost('attempt.deadline'),
  'attempt.interruptions_max': atMost('attempt.interruptions_max'),
  'attempt.output_max': atMost('attempt.output_max'),
  'gates[].name': {
    kind: 'checked',
    objection: (value, { gates }) =>
      gates.some(({ name }) => name === value)
        ? 'your own settings already have a gate with this name'
        : undefined,
  },
  'gates[].command[]': allowed,
  'gates[].accept_unprotected': userOnly(
    'it lets a gate that an agent may have changed verify a run',
  ),
  'gates[].tests_may_change': userOnly('it lets tests that an agent changed verify a run'),
  'gates[].count': allowed,
  'gates[].timeout': allowed,
  'gates[].on_fail': allowed,
  'gates[].severity': allowed,
  'gates[].depends_on[]': allowed,
  'gates[].working_dir': allowed,
  // The command line can set the same variables.
  'gates[].env': allowed,
  'gates[].allow_shell': allowed,
  'gates[].allowed_writes[]': allowed,
  'gates[].report': allowed,
  'gates[].coverage.file': allowed,
  'gates[].coverage.format': allowed,
  'gates[].coverage.min': allowed,
  'gates[].coverage.changed_min': allowed,
  'gates[].protect': allowed,
  'gates[].prove': allowed,
  'gates[].parallel_safe': allowed,
  'gates[].cache': allowed,
  'gates[].cache_inputs[]': allowed,
  'gates[].skip_on_dependency_failure': allowed,
  'gates[].memory': atMost('sandbox.memory'),
  'gates[].cpus': atMost('sandbox.cpus'),
  'setup.command[]': allowed,
  'setup.inputs[]': allowed,
  'setup.network[]': host,
  'setup.timeout': allowed,
  // A setup that does nothing has the same effect.
  require_setup: allowed,
  baseline: allowed,
  'sandbox.backend': {
    kind: 'checked',
    objection: (value, { sandbox }) => {
      if (value === 'none') return 'a project cannot turn off the sandbox';
      return sandbox.backend === 'auto' || sandbox.backend === value
        ? undefined
        : `your own settings use ${sandbox.backend}`;
    },
  },
  'sandbox.image': {
    kind: 'checked',
    objection: (value) =>
      typeof value === 'string' && !isPublicImage(value)
        ? 'its registry is this machine or a private network'
        : undefined,
  },
  'sandbox.pull': allowed,
  'sandbox.memory': atMost('sandbox.memory'),
  'sandbox.cpus': atMost('sandbox.cpus'),
  'sandbox.pids': atMost('sandbox.pids'),
  'sandbox.disk': atMost('sandbox.disk'),
  'sandbox.tmp': atMost('sandbox.tmp'),
  'sandbox.mounts[].path': inside,
  'sandbox.mounts[].to': allowed,
  'sandbox.mounts[].mode': readOnly,
  'sandbox.preflight[]': {
    kind: 'checked',
    objection: (value, _user, { outside, unhashed }) =>
      outside(String(value)) ?? unhashed(String(value)),
  },
  'sandbox.network[]': host,
  'sandbox.grants.toolchains[]': userOnly(OUTSIDE),
  'sandbox.grants.files[]': allowed,
  'sandbox.grants.git_identity': allowed,
  'classify.rules[].id': userOnly(CLASSIFIES),
  'classify.rules[].cli': userOnly(CLASSIFIES),
  'classify.rules[].reason': userOnly(CLASSIFIES),
  'classify.rules[].pattern': userOnly(CLASSIFIES),
  'classify.rules[].exit_codes[]': userOnly(CLASSIFIES),
  'gateway.calls_per_project': atMost('gateway.calls_per_project'),
  'gateway.outage_patience': atMost('gateway.outage_patience'),
  'gateway.private_hosts[]': userOnly('it gives access to a private network'),
  'gateway.server_tools[]': userOnly('a provider runs and fetches outside the sandbox'),
  'gateway.silence': atMost('gateway.silence'),
  'gateway.request_max': atMost('gateway.request_max'),
  'gateway.record_max': atMost('gateway.record_max'),
  'gateway.prices[].model': userOnly(PRICES),
  'gateway.prices[].input': userOnly(PRICES),
  'gateway.prices[].output': userOnly(PRICES),
  'gateway.prices[].cached': userOnly(PRICES),
  'gateway.prices[].cache_write': userOnly(PRICES),
  'gateway.prices[].output_max': userOnly(PRICES),
  'gateway.prices[].context_max': userOnly(PRICES),
  ...caps('budget', 'budget'),
  ...caps('budget.project', 'budget.project'),
  ...caps('budget.tree', 'budget.tree'),
  // A watch changes nothing outside of the run, and a message has no words of the project.
  ...Object.fromEntries(STEERING_KEYS.map((key) => [key, allowed])),
  'owner.idle_exit': userOnly(ALL_PROJECTS),
  'owner.clear_orphans_after': userOnly(ALL_PROJECTS),
  ...Object.fromEntries(
    [
      ...['low_files_max', 'low_coverage_min', 'high_paths[]', 'high_files_over'],
      ...['critical_paths[]', 'critical_people', 'high_approvers[]', 'critical_approvers[]'],
      ...['low_timeout', 'medium_timeout', 'high_timeout', 'critical_timeout'],
      ...['low_on_timeout', 'medium_on_timeout', 'high_on_timeout', 'critical_on_timeout'],
    ].map((key) => [`approvals.${key}`, userOnly(APPROVALS)]),
  ),
  'notifications.terminal[]': userOnly(TERMINAL),
  'notifications.notifiers[].name': userOnly(NOTIFIERS),
  'notifications.notifiers[].kind': userOnly(NOTIFIERS),
  'notifications.notifiers[].events[]': userOnly(NOTIFIERS),
  'notifications.notifiers[].url': userOnly(NOTIFIERS),
  'notifications.notifiers[].token_env': userOnly(NOTIFIERS),
  'notifications.notifiers[].host': userOnly(NOTIFIERS),
  'notifications.notifiers[].port': userOnly(NOTIFIERS),
  'notifications.notifiers[].secure': userOnly(NOTIFIERS),
  'notifications.notifiers[].user': userOnly(NOTIFIERS),
  'notifications.notifiers[].password_env': userOnly(NOTIFIERS),
  'notifications.notifiers[].from': userOnly(NOTIFIERS),
  'notifications.notifiers[].to[]': userOnly(NOTIFIERS),
  'notifications.notifiers[].command': userOnly(NOTIFIERS),
  'git.auto_branch': allowed,
  'git.branch_pattern': allowed,
  'git.auto_commit': userOnly('it commits to your repository without asking you'),
  'git.dry_run_preview': userOnly('you decide what you are shown before your yes'),
  'git.pull_requests': userOnly('it pushes with your own login, outside the sandbox'),
  'workflow.template': allowed,
  'workflow.overrides': allowed,
  'workflow.disable[]': allowed,
  'tree.depth_max': atMost('tree.depth_max'),
  'tree.children_max': atMost('tree.children_max'),
  ...treeRules(),
};

function caps(key: string, limitKey: string): Record<string, ProjectRule> {
  return Object.fromEntries(
    ['tokens', 'usd', 'calls', 'wall_s'].map((cap) => [
      `${key}.${cap}`,
      atMost(`${limitKey}.${cap}`),
    ]),
  );
}

/** Rules for one agent or supervisor of the tree. It never gets more than a run of the user. */
function treeRules(): Record<string, ProjectRule> {
  const at = 'tree.children[]';
  const allowedKeys = [
    ...'name kind assignment agent model models[] commitments[].what commitments[].command[]'.split(
      ' ',
    ),
    ...'queue.on_empty on_done restart.type restart.restarts restart.within'.split(' '),
    ...'restart.backoff_base restart.backoff_max health.spin_calls health.on_spin'.split(' '),
    ...'health.inactivity.after health.inactivity.action on_gang strategy'.split(' '),
    ...'violations[].name violations[].action violations[].outside[]'.split(' '),
    ...'violations[].self_modification[] violations[].over_budget violations[].children_max'.split(
      ' ',
    ),
    ...'violations[].unknown_host[] violations[].command[] workspace.crashed'.split(' '),
    ...'workspace.over_budget workspace.wrong_changeset workspace.spinning'.split(' '),
    ...'workspace.gang workspace.asks_to_abort flags.perseverance flags.user_present'.split(' '),
    ...'intensity.restarts intensity.within'.split(' '),
  ];
  return {
    ...Object.fromEntries(allowedKeys.map((key) => [`${at}.${key}`, allowed])),
    ...caps(`${at}.budget`, 'budget'),
    [`${at}.queue.dir`]: inside,
    [`${at}.sandbox.mounts[].path`]: inside,
    [`${at}.sandbox.mounts[].to`]: allowed,
    [`${at}.sandbox.mounts[].mode`]: readOnly,
    [`${at}.sandbox.toolchains[]`]: userOnly(OUTSIDE),
    [`${at}.sandbox.network[]`]: host,
    [`${at}.sandbox.memory`]: atMost('sandbox.memory'),
    [`${at}.sandbox.cpus`]: atMost('sandbox.cpus'),
    [`${at}.sandbox.pids`]: atMost('sandbox.pids'),
  };
}

const BUILT_IN = ['scripted', 'claude', 'codex', 'gemini', 'copilot', 'opencode', 'custom'];

function idTaken(id: string, { agents }: Settings): string | undefined {
  const [name = id] = id.split(':', 1);
  if (BUILT_IN.includes(name)) return `${name} is a built-in agent`;
  return agents.some((agent) => agent.id === id)
    ? 'your own settings already have an agent with this id'
    : undefined;
}
