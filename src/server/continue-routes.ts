/** Runs that continue from a point of another run, and what may keep a step from starting. */
import type { Hono } from 'hono';
import type { Owner } from '../owner/owner.ts';
import { checkpointsOf } from '../owner/workflows/checkpoints-of-run.ts';
import { ForkRequest, ResumeRequest } from '../protocol/api.ts';
import { ResetRequest } from '../protocol/breaker.ts';
import { checkBody, checkCommand, checkQuery } from './check-body.ts';
import { requestKey, runIdParam } from './request-key.ts';
import { runIdOf } from './run-id-param.ts';

export function addContinueRoutes(app: Hono, owner: Owner): void {
  app.get('/v1/breakers', (context) => context.json(owner.breakers.list()));
  app.post('/v1/breakers/reset', async (context) =>
    context.json(await owner.breakers.reset(checkQuery(ResetRequest, await checkBody(context)))),
  );
  app.post('/v1/runs/:id/fork', async (context) => {
    const { request, environment } = await checkCommand(ForkRequest, context);
    const view = await owner.requests.once(
      requestKey(context, request),
      (mark) => owner.newRuns.fork(runIdOf(context), request, mark, environment),
      (fact) => owner.supplied(runIdParam(fact), environment),
    );
    return context.json(view, 201);
  });
  app.post('/v1/runs/:id/resume', async (context) => {
    const { request, environment } = await checkCommand(ResumeRequest, context);
    const view = await owner.requests.once(
      requestKey(context, request ?? null),
      (mark) => owner.newRuns.resume(runIdOf(context), mark, environment, request),
      (fact) => owner.supplied(runIdParam(fact), environment),
    );
    return context.json(view, 201);
  });

  app.get('/v1/runs/:id/checkpoints', async (context) =>
    context.json(await checkpointsOf(owner.journal, await owner.run(runIdOf(context)))),
  );
}
