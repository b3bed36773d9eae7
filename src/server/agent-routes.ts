/** Long-lived agents over HTTP, each by its id or, with its project, by its name. */
import type { Context, Hono } from 'hono';
import type { Owner } from '../daemon/owner.ts';
import {
  AgentsQuery,
  DeclareWish,
  DismissWish,
  MessageWish,
  RejectWish,
  SpawnRequest,
} from '../protocol/life-view.ts';
import { body, check } from './check.ts';

export function addAgentRoutes(app: Hono, owner: Owner): void {
  app.post('/v1/agents', async (context) => {
    const request = check(SpawnRequest, await body(context));
    return context.json(await owner.agents.spawn(request), 201);
  });
  app.get('/v1/agents', (context) => {
    const { project } = check(AgentsQuery, context.req.query());
    return context.json(owner.agents.list(project));
  });
  app.post('/v1/agents/declare', async (context) => {
    const { project } = check(DeclareWish, await body(context));
    return context.json(await owner.agents.declare(project), 201);
  });
  app.get('/v1/agents/:id', (context) => {
    const { project } = check(AgentsQuery, context.req.query());
    return context.json(owner.agents.view(id(context), project));
  });
  app.post('/v1/agents/:id/messages', async (context) => {
    const { text, project } = check(MessageWish, await body(context));
    return context.json(await owner.agents.send(id(context), text, project), 202);
  });
  app.post('/v1/agents/:id/dismiss', async (context) => {
    const { because, project } = check(DismissWish, await body(context));
    return context.json(await owner.agents.dismiss(id(context), because, project), 202);
  });
  app.post('/v1/agents/:id/reject', async (context) => {
    const { feedback, project } = check(RejectWish, await body(context));
    return context.json(await owner.agents.reject(id(context), feedback, project), 202);
  });
}

function id(context: Context): string {
  return context.req.param('id') ?? '';
}
