/**
 * Which settings a project may set, even a trusted one: one entry for each key of a configuration file. A test
 * fails when a key has none, and a key without an entry is refused. `[]` is any item of a list; the levels of the
 * tree are one.
 */
import type { Settings } from '../settings/settings.ts';
import { hostNameOf, isPublicHost, isPublicImage } from './public-hosts.ts';

export type ProjectRule =
  /** It concerns the project alone, or is held by the sandbox. */
  | { readonly kind: 'allowed' }
  /** Only the user's own file may say it. */
  | { readonly kind: 'own'; readonly why: string }
  /**
   * Not more, or not less, than what would hold without the project: the user's own value of the key `than`, else the
   * default of the package. Where neither is, there is nothing to widen, unless `most` is a bound of our own.
   */
  | {
      readonly kind: 'at-most' | 'at-least';
      readonly than: string;
      readonly most?: number;
    }
  /** Why it is refused; undefined when it is not. */
  | {
      readonly kind: 'checked';
      readonly objection: (
        value: unknown,
        user: Settings,
        project: ProjectRuleContext,
      ) => string | undefined;
    };

export type ProjectRuleContext = {
  /** Why a path that the file names leads out of the project; undefined when it does not. */
  readonly outside: (path: string) => string | undefined;
  /** Why the content of a file is no part of what was trusted; undefined when it is. */
  readonly unhashed: (path: string) => string | undefined;
};

const allowed: ProjectRule = { kind: 'allowed' };
const own = (why: string): ProjectRule => ({ kind: 'own', why });
const atMost = (than: string, most?: number): ProjectRule => ({
  kind: 'at-most',
  than,
  ...(most === undefined ? {} : { most }),
});

const host: ProjectRule = {
  kind: 'checked',
  objection: (value, { gateway }) => {
    if (typeof value !== 'string') return undefined;
    if (!isPublicHost(value)) return 'it is this machine or a private network';
    // What the user opened for a provider would else be open to every agent of the project, on any port.
    const isOpened = gateway.privateHosts.includes(hostNameOf(value));
    return isOpened
      ? 'your own gateway.private_hosts says that it is a private network'
      : undefined;
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
    value === 'rw' ? 'a project may only show files, not let agents change them' : undefined,
};

const THE_OWNERS = 'it holds for all projects';
const LOGIN = 'it decides which login is used';
const VARIABLES =
  'a variable can change what a program runs, where it sends your key, or what it loads';
const JUDGES = 'it decides for all projects how an end is understood';
const PRICES = 'a price decides what a budget in dollars allows';
const OUTSIDE = 'it shows folders outside the project';

/** The largest that a preset allows: a project may choose one. */
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
      value === 'scripted' ? 'scripted agents run outside of the sandbox' : undefined,
  },
  'agents[].args[]': allowed,
  'agents[].flags': allowed,
  'agents[].command[]': allowed,
  'agents[].resume_command[]': allowed,
  'agents[].files': own('the settings of a program can name an address, a key, or what it runs'),
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
  'agents[].config_dir': own(LOGIN),
  'agents[].env': own(VARIABLES),
  default_agent: allowed,
  'selection.mode': allowed,
  'selection.fallbacks': allowed,
  'selection.pinned': allowed,
  'recovery.preset': allowed,
  'recovery.retries_per_agent': atMost('recovery.retries_per_agent', RETRIES_OF_PRESETS),
  'recovery.attempts_max': atMost('recovery.attempts_max', ATTEMPTS_OF_PRESETS),
  'recovery.cooldown_s': atMost('recovery.cooldown_s'),
  'recovery.limit_patience_s': atMost('recovery.limit_patience_s'),
  'recovery.wait_for_reset': allowed,
  'recovery.wait_max_s': atMost('recovery.wait_max_s'),
  'capacity.runs_max': atMost('capacity.runs_max'),
  'capacity.per_agent_max': atMost('capacity.per_agent_max'),
  'limits.attempts': atMost('limits.attempts'),
  'limits.starts_per_minute': atMost('limits.starts_per_minute'),
  'limits.disk_free': { kind: 'at-least', than: 'limits.disk_free' },
  'attempt.grace': atMost('attempt.grace'),
  'attempt.deadline': atMost('attempt.deadline'),
  'attempt.lost_max': atMost('attempt.lost_max'),
  'attempt.output_max': atMost('attempt.output_max'),
  'gates[].name': {
    kind: 'checked',
    objection: (value, { gates }) =>
      gates.some(({ name }) => name === value)
        ? 'your own settings have a gate of that name'
        : undefined,
  },
  'gates[].command[]': allowed,
  'gates[].accept_unprotected': own('it lets a gate that an agent may have changed count as proof'),
  'gates[].tests_may_change': own('it lets tests that an agent changed count as proof'),
  'gates[].count': allowed,
  'gates[].timeout': allowed,
  'setup.command[]': allowed,
  'setup.inputs[]': allowed,
  'setup.network[]': host,
  'setup.timeout': allowed,
  'sandbox.backend': {
    kind: 'checked',
    objection: (value, { sandbox }) => {
      if (value === 'none') return 'a project can not take the sandbox away';
      return sandbox.backend === 'auto' || sandbox.backend === value
        ? undefined
        : `your own settings say ${sandbox.backend}`;
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
  'sandbox.grants.toolchains[]': own(OUTSIDE),
  'sandbox.grants.files[]': allowed,
  'sandbox.grants.git_identity': allowed,
  'classify.rules[].id': own(JUDGES),
  'classify.rules[].cli': own(JUDGES),
  'classify.rules[].reason': own(JUDGES),
  'classify.rules[].pattern': own(JUDGES),
  'classify.rules[].exit_codes[]': own(JUDGES),
  'gateway.calls_per_project': atMost('gateway.calls_per_project'),
  'gateway.outage_patience': atMost('gateway.outage_patience'),
  'gateway.private_hosts[]': own("a private network is not the project's"),
  'gateway.server_tools[]': own('what a provider fetches or runs leaves the sandbox'),
  'gateway.silence': atMost('gateway.silence'),
  'gateway.request_max': atMost('gateway.request_max'),
  'gateway.record_max': atMost('gateway.record_max'),
  'gateway.prices[].model': own(PRICES),
  'gateway.prices[].input': own(PRICES),
  'gateway.prices[].output': own(PRICES),
  'gateway.prices[].cached': own(PRICES),
  'gateway.prices[].cache_write': own(PRICES),
  'gateway.prices[].output_max': own(PRICES),
  ...caps('budget', 'budget'),
  ...caps('budget.project', 'budget.project'),
  ...caps('budget.tree', 'budget.tree'),
  'owner.idle_exit': own(THE_OWNERS),
  'owner.clear_orphans_after': own(THE_OWNERS),
  'tree.depth_max': atMost('tree.depth_max'),
  'tree.children_max': atMost('tree.children_max'),
  ...treeRules(),
};

function caps(key: string, than: string): Record<string, ProjectRule> {
  return Object.fromEntries(
    ['tokens', 'usd', 'calls', 'wall_s'].map((cap) => [`${key}.${cap}`, atMost(`${than}.${cap}`)]),
  );
}

/** Of one agent or supervisor of the tree. What it may spend and use is never more than a run of the user's. */
function treeRules(): Record<string, ProjectRule> {
  const at = 'tree.children[]';
  const plain = [
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
    ...'workspace.over_budget workspace.wrong_changeset workspace.spinning workspace.gang'.split(
      ' ',
    ),
    ...'workspace.asks_to_abort flags.background flags.perseverance flags.user_present'.split(' '),
    ...'intensity.restarts intensity.within'.split(' '),
  ];
  return {
    ...Object.fromEntries(plain.map((key) => [`${at}.${key}`, allowed])),
    ...caps(`${at}.budget`, 'budget'),
    [`${at}.queue.dir`]: inside,
    [`${at}.sandbox.mounts[].path`]: inside,
    [`${at}.sandbox.mounts[].to`]: allowed,
    [`${at}.sandbox.mounts[].mode`]: readOnly,
    [`${at}.sandbox.toolchains[]`]: own(OUTSIDE),
    [`${at}.sandbox.network[]`]: host,
    [`${at}.sandbox.memory`]: atMost('sandbox.memory'),
    [`${at}.sandbox.cpus`]: atMost('sandbox.cpus'),
    [`${at}.sandbox.pids`]: atMost('sandbox.pids'),
  };
}

const BUILT_IN = ['scripted', 'claude', 'codex', 'gemini', 'copilot', 'opencode', 'custom'];

function idTaken(id: string, { agents }: Settings): string | undefined {
  const [plain = id] = id.split(':', 1);
  if (BUILT_IN.includes(plain)) return `${plain} is a built-in agent`;
  return agents.some((agent) => agent.id === id)
    ? 'your own settings have an agent of that name'
    : undefined;
}
