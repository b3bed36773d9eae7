/** An owner that listens on its socket until it is closed or has been idle for long enough. */
import type { Hono } from 'hono';
import { PAGE_FOLDER } from '../host/machine/page-folder.ts';
import { startCommandsApart } from '../host/process/start-command.ts';
import { AgentTable } from '../owner/agent-table-file.ts';
import { Owner } from '../owner/owner.ts';
import type { OwnerOptions } from '../owner/owner-options.ts';
import { ownerTag } from '../owner/owner-state.ts';
import { createApp } from './app.ts';
import { Dashboard } from './dashboard/dashboard.ts';
import { serverBranch } from './server-branch.ts';
import type { Listeners } from './server-branch.ts';

export type Serving = {
  readonly app: Hono;
  readonly owner: Owner;
  /** Resolves with the reason when the owner should be closed: idle, a request, or a defect. It is still open then. */
  readonly done: Promise<string>;
  /** A second call joins the first one. */
  close(reason: string): Promise<void>;
};

export type ServeOptions = OwnerOptions & Pick<Listeners, 'tcp'>;

export async function serve(options: ServeOptions): Promise<Serving> {
  const { home, clock, version, log } = options;
  const dashboard = new Dashboard({
    ...{ clock, log, accessFile: home.dashboard, pageFolder: PAGE_FOLDER },
    owner: { version, home: home.dir },
    agentTable: new AgentTable(options),
  });
  const owner = await Owner.open(options, (self) => [
    serverBranch(createApp(self, dashboard), self, { ...options, dashboard }),
  ]);
  const startCommandsHere = startCommandsApart({
    node: options.node,
    tag: `${ownerTag(options)}/commands`,
  });
  const close = async (reason: string): Promise<void> => {
    await owner.close(reason);
    await startCommandsHere();
  };
  return { app: createApp(owner, dashboard), owner, done: owner.lifetime.done, close };
}
