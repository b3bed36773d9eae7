/** The HTTP routes for messages to the agent of a run. */
import type { Hono } from 'hono';
import type { Owner } from '../owner/owner.ts';
import { TellRequest } from '../protocol/run-message.ts';
import { checkBody, checkQuery } from './check-body.ts';
import { requestKey } from './request-key.ts';
import { runIdOf } from './run-id-param.ts';

export function addMessageRoutes(app: Hono, owner: Owner): void {
  app.post('/v1/runs/:id/messages', async (context) => {
    const run = runIdOf(context);
    const request = checkQuery(TellRequest, await checkBody(context));
    const message = await owner.requests.once(
      requestKey(context, request),
      (mark) => owner.questions.messages.send(run, request, mark),
      (fact) => owner.questions.messages.sentBy(run, fact),
    );
    return context.json(message, 202);
  });
  app.get('/v1/runs/:id/messages', async (context) =>
    context.json(await owner.questions.messages.list(runIdOf(context))),
  );
}
