/** The HTTP routes for a person's terminal: one stream of what it shows, and what the person types. */
import type { Hono } from 'hono';
import type { Owner } from '../owner/owner.ts';
import { TakeoverInput, TakeoverQuery } from '../protocol/takeover.ts';
import { checkBody, checkQuery } from './check-body.ts';
import { runIdOf } from './run-id-param.ts';
import { eventStream } from './sse-stream.ts';

export function addTakeoverRoutes(app: Hono, owner: Owner): void {
  // The stream is the terminal: when it ends, the person is gone.
  app.get('/v1/runs/:id/takeover', (context) => {
    const run = runIdOf(context);
    const request = checkQuery(TakeoverQuery, context.req.query());
    return eventStream(context, owner.lifetime, (signal) =>
      owner.questions.takeovers.take(run, request, signal),
    );
  });
  app.post('/v1/runs/:id/takeover', async (context) => {
    await owner.questions.takeovers.type(
      runIdOf(context),
      checkQuery(TakeoverInput, await checkBody(context)),
    );
    return context.json({ typed: true });
  });
}
