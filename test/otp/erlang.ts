/** Runs scenarios on OTP's own supervisor and returns its traces. One Erlang VM runs many. */
import { execFile, execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TempDir } from '../support/temp-dir.ts';
import { tempDir } from '../support/temp-dir.ts';
import type { Operation, Scenario } from './scenario.ts';

const run = promisify(execFile);

export function hasErlang(): boolean {
  try {
    execFileSync('erl', ['-noshell', '-eval', 'halt(0).'], { stdio: 'ignore', timeout: 30_000 });
    return true;
  } catch {
    return false; // whatever the reason, Erlang does not run here
  }
}

export type OtpTrace = {
  readonly lines: readonly string[];
  /** How long it took beside its sleeps: a trace that was delayed for long does not count. */
  readonly tookMs: number;
};

export class Erlang implements AsyncDisposable {
  readonly #folder: TempDir;

  private constructor(folder: TempDir) {
    this.#folder = folder;
  }

  static async compile(): Promise<Erlang> {
    const folder = await tempDir();
    await run('erlc', ['-o', folder.path, fileURLToPath(new URL('player.erl', import.meta.url))]);
    return new Erlang(folder);
  }

  async play(scenarios: readonly Scenario[], timeoutMs: number): Promise<readonly OtpTrace[]> {
    const [input, output] = [join(this.#folder.path, 'in'), join(this.#folder.path, 'out')];
    await writeFile(input, scenarios.map(termOf).join(''));
    const player = ['-noshell', '-pa', this.#folder.path, '-run', 'player', 'main', input, output];
    await run('erl', player, { timeout: timeoutMs, killSignal: 'SIGKILL' });
    const traces: OtpTrace[] = [];
    for (const part of `\n${await readFile(output, 'utf8')}`.split('\n== ').slice(1)) {
      const [head = '', ...lines] = part.trimEnd().split('\n');
      const [number = Number.NaN, tookMs = Number.NaN] = head.split(' ').map(Number);
      traces[number] = { lines, tookMs };
    }
    return traces;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
  }
}

function termOf({ flags, children, script }: Scenario, number: number): string {
  const [cast, plot] = [children.map((child) => term(child)), script.map(operation)];
  return `{${number},${term(flags)},[${cast.join(',')}],[${plot.join(',')}]}.\n`;
}

function operation([name, ...rest]: Operation): string {
  const parts = rest.map((part, index) => {
    return name === 'exit' && index === 1 ? reason(part as string) : term(part);
  });
  return `{${[name, ...parts].join(',')}}`;
}

function reason(word: string): string {
  return word.startsWith('shutdown:') ? `{shutdown,${term(word.slice(9))}}` : term(word);
}

function term(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll(/['\\]/g, '\\$&')}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const pairs = Object.entries(value).map(([key, part]) => `${key}=>${term(part)}`);
  return `#{${pairs.join(',')}}`;
}
