/** The agents of the user's configuration as a table. */
import type { Hono } from 'hono';
import type { Owner } from '../owner/owner.ts';
import type { AgentTable } from '../owner/agent-table-file.ts';
import { AgentTableChange } from '../protocol/views/agent-table.ts';
import { checkBody, checkQuery } from './check-body.ts';

export function addAgentTableRoutes(app: Hono, owner: Owner, table: AgentTable): void {
  app.get('/v1/agent-table', async (context) => context.json(await table.view()));
  app.post('/v1/agent-table', async (context) => {
    const change = checkQuery(AgentTableChange, await checkBody(context));
    return context.json(await table.change(change));
  });
  app.post('/v1/agent-table/test', async (context) =>
    context.json(await table.test(owner.cooldowns.list(), owner.closing)),
  );
}
