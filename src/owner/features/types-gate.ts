/** The gate that checks interfaces of types with the TypeScript of the project. */
import { join } from 'node:path';
import { isRecord, parseJson } from '../../base/json.ts';
import { readTextFile } from '../../host/files/read-text-file.ts';
import type { PinnedGate } from '../../protocol/pinned-settings.ts';

const TYPES_GATE = 'interfaces';

const MANIFEST_BYTES_MAX = 1_000_000;
const TIMEOUT_MS = 300_000;
/** From this version on, a compiler that gets names of files refuses to work beside a tsconfig.json without this flag. */
const IGNORES_CONFIG_FROM = 6;

/** The program adds the files of the phase. Their own text counts, so the settings of the project do not. */
export function typesGate(major: number): PinnedGate {
  return {
    name: TYPES_GATE,
    command: [
      'node_modules/.bin/tsc',
      ...['--noEmit', '--strict', '--target', 'esnext', '--module', 'esnext'],
      ...['--moduleResolution', 'bundler', '--allowImportingTsExtensions'],
      ...(major >= IGNORES_CONFIG_FROM ? ['--ignoreConfig'] : []),
    ],
    timeoutMs: TIMEOUT_MS,
    // The files that it judges are the ones that Supervisor has just written.
    acceptsUnprotected: true,
  };
}

/** The major version of the TypeScript that is installed in the project, or that its manifest asks for. */
export async function typeScriptOf(project: string): Promise<number | null> {
  const installed = await manifest(join(project, 'node_modules', 'typescript', 'package.json'));
  if (typeof installed['version'] === 'string') return majorOf(installed['version']);
  const own = await manifest(join(project, 'package.json'));
  for (const key of ['devDependencies', 'dependencies']) {
    const all = own[key];
    const wanted = isRecord(all) ? all['typescript'] : undefined;
    if (typeof wanted === 'string') return majorOf(wanted);
  }
  return null;
}

async function manifest(path: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readTextFile(path, MANIFEST_BYTES_MAX);
  const value = text === undefined ? undefined : parseJson(text);
  return isRecord(value) ? value : {};
}

/** A range such as `latest` names no version. It is taken as a new one. */
function majorOf(range: string): number {
  const [digits] = /\d+/.exec(range) ?? [];
  return digits === undefined ? IGNORES_CONFIG_FROM : Number(digits);
}
