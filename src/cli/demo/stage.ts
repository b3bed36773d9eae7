/** A throw-away home and project for the demo, with a real owner in the background. */
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRefusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { findOwner, stopOwner } from '../../client/connect.ts';
import type { Home } from '../../host/home.ts';
import type { Face } from '../face.ts';
import { homeOf, reach } from '../reach.ts';

const STEP_MS = 350;

export class Stage implements AsyncDisposable {
  readonly project: string;
  /** How many steps the agent's work has. */
  readonly steps: number;
  readonly face: Face;
  readonly #dir: string;

  constructor(face: Face, steps: number) {
    this.steps = steps;
    this.#dir = mkdtempSync(join(tmpdir(), 'supervisor-demo-'));
    this.project = join(this.#dir, 'project');
    const home = join(this.#dir, 'home');
    mkdirSync(this.project);
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, 'config.yaml'), config(steps));
    this.face = { ...face, env: { ...face.env, SUPERVISOR_HOME: home } };
  }

  get home(): Home {
    return homeOf(this.face);
  }

  /** Finds the owner, or has one started, as every command does. */
  async client(): Promise<Client> {
    return (await reach(this.face, false)).client;
  }

  async ownerPid(): Promise<number | undefined> {
    return (await findOwner(this.home))?.view.pid;
  }

  /** The lines of work that are on the disk. */
  work(): readonly string[] {
    try {
      return readFileSync(join(this.project, 'WORK.md'), 'utf8').split('\n').filter(Boolean);
    } catch {
      return []; // nothing is written yet
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await stopOwner(this.home, this.face.clock);
    } catch (error) {
      if (!isRefusal(error)) throw error; // it went away while being asked: gone is gone
    }
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

function config(steps: number): string {
  return `# The demo's own settings: one agent that works in visible steps, and as many kills as you like.
attempt:
  lost_max: 100
agents:
  - id: worker
    cli: scripted
    args: ['${steps}', '${STEP_MS}']
`;
}
