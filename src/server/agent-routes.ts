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
import { requestMark, runOf } from './request-mark.ts';

export function addAgentRoutes(app: Hono, owner: Owner): void {
  app.post('/v1/agents', async (context) => {
    const request = check(SpawnRequest, await body(context));
    const view = await owner.requests.once(
      requestMark(context, request),
      (mark) => owner.agents.spawn(request, mark),
      async (fact) => owner.agents.view(runOf(fact)),
    );
    return context.json(view, 201);
  });
  app.get('/v1/agents', (context) => {
    const { project } = check(AgentsQuery, context.req.query());
    return context.json(owner.agents.list(project));
  });
  app.post('/v1/agents/declare', async (context) => {
    const { project, untrusted } = check(DeclareWish, await body(context));
    return context.json(await owner.agents.declare(project, untrusted), 201);
  });
  app.get('/v1/agents/:id', (context) => {
    const { project } = check(AgentsQuery, context.req.query());
    return context.json(owner.agents.view(id(context), project));
  });
  app.post('/v1/agents/:id/messages', async (context) => {
    const wish = check(MessageWish, await body(context));
    const { text, project } = wish;
    const view = await owner.requests.once(
      requestMark(context, wish),
      (mark) => owner.agents.send(id(context), text, project, mark),
      async (fact) => owner.agents.view(runOf(fact)),
    );
    return context.json(view, 202);
  });
  app.post('/v1/agents/:id/dismiss', async (context) => {
    const wish = check(DismissWish, await body(context));
    const { because, project } = wish;
    const view = await owner.requests.once(
      requestMark(context, wish),
      (mark) => owner.agents.dismiss(id(context), because, project, mark),
      async (fact) => owner.agents.view(runOf(fact)),
    );
    return context.json(view, 202);
  });
  app.post('/v1/agents/:id/reject', async (context) => {
    const wish = check(RejectWish, await body(context));
    const { feedback, project } = wish;
    const view = await owner.requests.once(
      requestMark(context, wish),
      (mark) => owner.agents.reject(id(context), feedback, project, mark),
      async (fact) => owner.agents.view(runOf(fact)),
    );
    return context.json(view, 202);
  });
}

function id(context: Context): string {
  return context.req.param('id') ?? '';
}
