/**
 * The agents of the user's configuration as a table. A change is written to the file with its comments, and only if the
 * file would still load. Programs, arguments, variables and new folders of settings are written by hand only: a page must
 * not be able to decide what runs.
 */
import { diagnose } from '../doctor/diagnose.ts';
import { probeMachine } from '../doctor/probe-machine.ts';
import { Refusal } from '../base/errors.ts';
import { hashText } from '../base/hash-text.ts';
import { isRecord } from '../base/json.ts';
import { Serial } from '../base/serial.ts';
import type { LoadedSettings } from '../config/load-settings.ts';
import { loadSettings, parseConfigText } from '../config/load-settings.ts';
import { writeFileAtomic } from '../host/files/atomic-files.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
import { realPath } from '../host/files/real-path.ts';
import type {
  AgentTableChange,
  AgentTableRow,
  AgentTableTest,
  AgentTableView,
} from '../protocol/views/agent-table.ts';
import type { CooldownView } from '../protocol/views/cooldown-view.ts';
import { AGENT_CLIS } from '../settings/agent-config.ts';
import { SELECTION_MODES } from '../settings/recovery-config.ts';
import type { MapEdit } from '../yaml/edit-sections.ts';
import { editSections } from '../yaml/edit-sections.ts';
import { TEXT_BYTES_MAX } from '../yaml/read-yaml.ts';
import { toValue } from '../yaml/yaml-tree.ts';
import { userDir } from './execution-host.ts';
import type { OwnerOptions } from './owner-options.ts';

/** A new agent of a page is a known CLI. A custom one has a command line, which is written by hand. */
const NEW_CLIS = AGENT_CLIS.filter((cli) => cli !== 'custom');
const SHOWN: ReadonlySet<string> = new Set(['id', 'cli', 'model', 'config_dir']);

export class AgentTable {
  readonly #options: OwnerOptions;
  /** Two changes at once would both be made to the same version. */
  readonly #writing = new Serial();

  constructor(options: OwnerOptions) {
    this.#options = options;
  }

  get #file(): string {
    return `${this.#options.home.dir}/config.yaml`;
  }

  /** Refuses a file that does not load. */
  async view(): Promise<AgentTableView> {
    const text = await this.#read();
    const { settings } = await this.#load(text);
    const { mode, fallbacks, pinned } = settings.selection;
    return {
      ...{ file: this.#file, version: hashText(text), rows: rowsOf(text, this.#file) },
      ...{ mode, fallbacks: { ...fallbacks }, pinned },
      ...{ clis: [...NEW_CLIS], modes: [...SELECTION_MODES] },
    };
  }

  /** Refuses what the file would be refused for when it is read. Nothing is written then. */
  change(change: AgentTableChange): Promise<AgentTableView> {
    return this.#writing.run(async () => {
      const text = await this.#read();
      if (hashText(text) !== change.version) throw changedMeanwhile(this.#file);
      refuseNewPrograms(change, rowsOf(text, this.#file));
      const changed = edited(text, change, this.#file);
      await this.#load(changed);
      // A link to a file elsewhere stays a link.
      const target = (await realPath(this.#file)) ?? this.#file;
      if (changed !== text) await writeFileAtomic(target, changed);
      return this.view();
    });
  }

  /** Whether each agent could work now: its program, its login, and its limits. */
  async test(cooling: readonly CooldownView[], signal: AbortSignal): Promise<AgentTableTest> {
    const { settings } = await this.#load(await this.#read());
    const { env, clock, random, home } = this.#options;
    const ports = { env, clock, random, userDir: userDir(this.#options), stateDir: home.dir };
    const facts = await probeMachine({ ...ports, declared: settings.agents }, signal);
    const found = diagnose(facts).findings.filter(({ section }) => section === 'agents');
    return {
      agents: settings.agents.map(({ id }) => {
        const one = found.find((finding) => finding.id === id);
        const limit = cooling.find(({ agent }) => agent === id);
        const facts = {
          found: one?.found ?? null,
          get: one?.get === undefined ? null : one.get && [...one.get],
        };
        return limit === undefined || one?.state === 'missing' || one?.state === 'broken'
          ? { id, state: one?.state ?? 'broken', note: one?.note ?? null, ...facts }
          : { id, state: 'cooling' as const, note: limit.reason, ...facts };
      }),
    };
  }

  async #read(): Promise<string> {
    // A file that can't be read is refused with its reason by the load.
    return (await readTextFile(this.#file, TEXT_BYTES_MAX).catch(() => undefined)) ?? '';
  }

  #load(text: string): Promise<LoadedSettings> {
    const file = this.#file;
    return loadSettings({
      home: this.#options.home.dir,
      userDir: userDir(this.#options),
      readFile: async (path, bytesMax) => {
        const now = await readTextFile(path, bytesMax);
        return path === file && (now !== undefined || text !== '') ? text : now;
      },
    });
  }
}

function rowsOf(text: string, file: string): AgentTableRow[] {
  const whole = toValue(parseConfigText(text, file));
  const agents: unknown = isRecord(whole) ? whole['agents'] : undefined;
  if (!Array.isArray(agents)) return [];
  return agents.filter(isRecord).map((one) => ({
    id: String(one['id']),
    cli: String(one['cli']),
    model: textOf(one['model']),
    configDir: textOf(one['config_dir']),
    others: Object.keys(one).filter((key) => !SHOWN.has(key)),
  }));
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function refuseNewPrograms({ rows }: AgentTableChange, before: readonly AgentTableRow[]): void {
  for (const { was, cli, id, configDir } of rows) {
    const old = was === null ? undefined : before[was];
    // The settings of a CLI can name programs, such as hooks.
    if (configDir !== null && !before.some((one) => one.configDir === configDir))
      throw new Refusal({
        code: 'config.invalid',
        message: `No agent has the folder ${JSON.stringify(configDir)} yet, so the agent ${JSON.stringify(id)} cannot get it here.`,
        hint: 'Write it to the file.',
      });
    if (old?.cli === cli) continue;
    if (cli !== 'custom' && old?.cli !== 'custom') continue;
    throw new Refusal({
      code: 'config.invalid',
      message: `The agent ${JSON.stringify(id)} cannot become or stop being a custom agent here.`,
      hint: 'Change it in the file.',
    });
  }
}

function edited(text: string, change: AgentTableChange, file: string): string {
  const { rows, mode, fallbacks, pinned } = change;
  const items = rows.map(({ was, id, cli, model, configDir }) => ({
    was,
    set: { id, cli, model, config_dir: configDir },
  }));
  const isUsual = mode === 'fallback' && !/^selection:/m.test(text);
  const set: MapEdit = {
    ...(isUsual ? {} : { mode }),
    fallbacks: Object.keys(fallbacks).length === 0 ? null : fallbacks,
    pinned,
  };
  const result = editSections(text, {
    list: { key: 'agents', items },
    map: { key: 'selection', set },
  });
  if (result !== undefined) return result;
  throw new Refusal({
    code: 'config.invalid',
    message: `${file} has anchors or aliases, so it can't be changed here without damage.`,
    hint: 'Change it in the file, or write out what the aliases stand for.',
    details: { file },
  });
}

function changedMeanwhile(file: string): Refusal {
  return new Refusal({
    code: 'config.busy',
    message: `${file} has changed since this table was read.`,
    hint: 'Read it again, and make your change once more.',
    details: { file },
  });
}
