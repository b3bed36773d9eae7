/** The HTTP routes for long-lived agents, by id or, with a project, by name. */
import type { Context, Hono } from 'hono';
import type { Owner } from '../owner/owner.ts';
import {
  AgentsQuery,
  DeclareRequest,
  DismissRequest,
  MessageRequest,
  RejectRequest,
  SpawnRequest,
} from '../protocol/views/agent-view.ts';
import { checkBody, checkCommand, checkQuery } from './check-body.ts';
import { pageChannel } from './page-channel.ts';
import { requestKey, runIdParam } from './request-key.ts';

const DISMISSED_BY_PAGE = 'a person dismissed it in the dashboard';

export function addAgentRoutes(app: Hono, owner: Owner): void {
  app.post('/v1/agents', async (context) => {
    const { request, environment } = await checkCommand(SpawnRequest, context);
    const view = await owner.requests.once(
      requestKey(context, request),
      (mark) => owner.agents.spawn(request, mark, environment),
      async (fact) => {
        const { id } = await owner.supplied(runIdParam(fact), environment);
        return owner.agents.view(id);
      },
    );
    return context.json(view, 201);
  });
  app.get('/v1/agents', (context) => {
    const { project } = checkQuery(AgentsQuery, context.req.query());
    return context.json(owner.agents.list(project));
  });
  app.post('/v1/agents/declare', async (context) => {
    const { request, environment } = await checkCommand(DeclareRequest, context);
    const { project, untrusted } = request;
    return context.json(await owner.agents.declare(project, { untrusted }, environment), 201);
  });
  app.get('/v1/agents/:id', (context) => {
    const { project } = checkQuery(AgentsQuery, context.req.query());
    return context.json(owner.agents.view(id(context), project));
  });
  app.post('/v1/agents/:id/messages', async (context) => {
    const request = checkQuery(MessageRequest, await checkBody(context));
    const { text, project } = request;
    const view = await owner.requests.once(
      requestKey(context, request),
      (mark) => owner.agents.send(id(context), text, project, mark),
      async (fact) => owner.agents.view(runIdParam(fact)),
    );
    return context.json(view, 202);
  });
  app.post('/v1/agents/:id/dismiss', async (context) => {
    const request = checkQuery(DismissRequest, await checkBody(context));
    const because = request.because ?? (pageChannel(context) && DISMISSED_BY_PAGE);
    const { project } = request;
    const view = await owner.requests.once(
      requestKey(context, request),
      (mark) => owner.agents.dismiss(id(context), because, project, mark),
      async (fact) => owner.agents.view(runIdParam(fact)),
    );
    return context.json(view, 202);
  });
  app.post('/v1/agents/:id/reject', async (context) => {
    const request = checkQuery(RejectRequest, await checkBody(context));
    const { feedback, project } = request;
    const view = await owner.requests.once(
      requestKey(context, request),
      (mark) => owner.agents.reject(id(context), feedback, project, mark),
      async (fact) => owner.agents.view(runIdParam(fact)),
    );
    return context.json(view, 202);
  });
}

function id(context: Context): string {
  return context.req.param('id') ?? '';
}
