/**
 * The settings that the program reads: complete, frozen, with one unit per field. They are plain
 * JSON, because a run's settings are pinned into its stream.
 */
import type { z } from 'zod';
import { deepFreeze } from '../base/deep-freeze.ts';
import type { AgentId } from '../base/ids.ts';
import { AGENT_CLIS } from './agent-config.ts';
import type { AgentSettings } from './agent-config.ts';
import { ConfigFile, configFile } from './config-file.ts';
import type { Immutable } from './schema-fields.ts';

export type Settings = Immutable<z.output<typeof ConfigFile>>;

/** Cached, because building the schema takes milliseconds and one process serves one user. */
let latest = { userDir: '~', schema: ConfigFile };

/** Throws if `written` does not match the schema. `~` stands for `userDir`. */
export function toSettings(written: object, userDir: string): Settings {
  if (latest.userDir !== userDir) latest = { userDir, schema: configFile(userDir) };
  return deepFreeze(latest.schema.parse(written));
}

export const defaultSettings: Settings = toSettings({}, '~');

/** The configured agent with this id, or the built-in agent of a CLI. `custom` has no built-in agent. */
export function findAgent(settings: Settings, id: string): AgentSettings | undefined {
  const own = settings.agents.find((agent) => agent.id === id);
  if (own !== undefined || id === 'custom') return own;
  const cli = AGENT_CLIS.find((name) => name === id);
  if (cli === undefined) return undefined;
  return {
    id: cli as string as AgentId,
    cli,
    args: [],
    model: null,
    configDir: null,
    env: {},
    command: null,
    output: null,
  };
}
