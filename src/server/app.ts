/**
 * The owner's HTTP API. The same app serves the unix socket and callers in this process, so there is one
 * interface and tests need no socket. Every answer is JSON, and everything that is followed is a stream of
 * server-sent events.
 */
import { Hono } from 'hono';
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { Refusal, describeError } from '../base/errors.ts';
import type { RefusalData } from '../base/errors.ts';
import { machineFault } from '../base/machine-fault.ts';
import type { RunId } from '../base/ids.ts';
import { notificationsOf } from '../owner/notifications/notifications-of.ts';
import { lastBut, readPage } from '../owner/run-reader.ts';
import type { Owner } from '../owner/owner.ts';
import {
  ApplyRequest,
  CommittedRequest,
  MovedRequest,
  CopyRequest,
  EventsQuery,
  FindQuery,
  OutputQuery,
  RunRequest,
  RunsQuery,
  tooLarge,
} from '../protocol/api.ts';
import { REQUEST_BYTES_MAX } from '../protocol/request-bytes.ts';
import { EnvironmentRequest } from '../protocol/run-environment.ts';
import { AblateRequest } from '../protocol/views/ablation-view.ts';
import { FeatureRequest, PlanningRequest } from '../protocol/views/feature-view.ts';
import { BaseCheckRequest } from '../protocol/views/base-check-view.ts';
import { PruneQuery, PruneRequest } from '../protocol/views/prune-view.ts';
import { ClearRequest } from '../protocol/views/cooldown-view.ts';
import { RunConclusion } from '../public-json/run-result.ts';
import { runStream } from '../protocol/streams.ts';
import { ENDED_BY_PERSON } from '../reports/runs/owner-ends.ts';
import { requestKey, runIdParam, typedPart } from './request-key.ts';
import { parsedRun, runIdOf } from './run-id-param.ts';
import { addAgentTableRoutes } from './agent-table-routes.ts';
import { addAgentRoutes } from './agent-routes.ts';
import { addContinueRoutes } from './continue-routes.ts';
import { addBoardRoute, addDashboardRoutes } from './dashboard/dashboard-routes.ts';
import type { Dashboard } from './dashboard/dashboard.ts';
import { addDecideRoutes } from './decide-routes.ts';
import { addMessageRoutes } from './message-routes.ts';
import { addReportRoutes } from './report-routes.ts';
import { addScheduleRoutes } from './schedule-routes.ts';
import { addTakeoverRoutes } from './takeover-routes.ts';
import { httpStatus } from './http-status.ts';
import { eventStream } from './sse-stream.ts';
import { checkBody, checkCommand, checkQuery } from './check-body.ts';

/** Without a dashboard, no page can be opened: an owner inside a test has none. */
export function createApp(owner: Owner, dashboard?: Dashboard): Hono {
  const app = new Hono();

  app.use(async (_context, next) => {
    owner.lifetime.idle.touch();
    await next();
  });
  app.use(
    bodyLimit({
      maxSize: REQUEST_BYTES_MAX,
      onError: (context) => refuse(context, tooLarge(), 413),
    }),
  );

  app.get('/v1/owner', (context) => context.json(owner.view()));
  app.post('/v1/owner/stop', (context) => {
    owner.lifetime.requestClose(ENDED_BY_PERSON);
    return context.json({ stopping: true });
  });

  app.post('/v1/owner/stay', (context) => {
    owner.lifetime.stay();
    return context.json(owner.view());
  });
  app.get('/v1/tree', (context) => context.json(owner.tree()));
  app.get('/v1/tree/follow', (context) =>
    eventStream(context, owner.lifetime, (signal) => owner.followTree(signal)),
  );

  addAgentRoutes(app, owner);
  if (dashboard !== undefined) {
    addDashboardRoutes(app, owner, dashboard);
    addBoardRoute(app, owner, dashboard.clock);
    addAgentTableRoutes(app, owner, dashboard.agentTable);
  }

  app.post('/v1/runs', async (context) => {
    const { request, environment } = await checkCommand(RunRequest, context);
    const view = await owner.requests.once(
      requestKey(context, typedPart(request)),
      (mark) => owner.submit(request, mark, environment),
      (fact) => owner.supplied(runIdParam(fact), environment),
    );
    return context.json(view, 201);
  });
  app.post('/v1/ablations', async (context) => {
    const { request, environment } = await checkCommand(AblateRequest, context);
    const view = await owner.requests.once(
      requestKey(context, request),
      (mark) => owner.newRuns.ablate(request, mark, environment),
      (fact) => owner.supplied(runIdParam(fact), environment),
    );
    return context.json(view, 201);
  });
  app.post('/v1/features', async (context) => {
    const { request, environment } = await checkCommand(FeatureRequest, context);
    const view = await owner.requests.once(
      requestKey(context, request),
      (mark) => owner.newRuns.startFeature(request, mark, environment),
      (fact) => owner.supplied(runIdParam(fact), environment),
    );
    return context.json(view, 201);
  });
  app.post('/v1/plans', async (context) => {
    const { request, environment } = await checkCommand(PlanningRequest, context);
    const view = await owner.requests.once(
      requestKey(context, request),
      (mark) => owner.newRuns.startPlanning(request, mark, environment),
      (fact) => owner.supplied(runIdParam(fact), environment),
    );
    return context.json(view, 201);
  });
  app.post('/v1/preflight', async (context) => {
    const { request, environment } = await checkCommand(RunRequest, context);
    return context.json(await owner.preflight(request, environment));
  });
  app.post('/v1/base-check', async (context) => {
    const { request, environment } = await checkCommand(BaseCheckRequest, context);
    return eventStream(context, owner.lifetime, (signal) =>
      owner.checkBase(request, signal, environment),
    );
  });
  app.post('/v1/environment', async (context) => {
    const request = checkQuery(EnvironmentRequest, await checkBody(context));
    return context.json(await owner.credentials.names(request));
  });
  app.get('/v1/runs/:id/environment', async (context) =>
    context.json(await owner.credentials.namesOf(runIdOf(context), context.req.query('agent'))),
  );
  app.get('/v1/runs/:id/keys', async (context) =>
    context.json({
      lacks: await owner.credentials.lacks(runIdOf(context)),
      budget: await owner.credentials.smallBudget(runIdOf(context)),
    }),
  );
  app.get('/v1/runs', async (context) => {
    const { project, ended, parent, limit } = checkQuery(RunsQuery, context.req.query());
    const filter = {
      limit,
      ...(project === undefined ? {} : { project }),
      ...(ended === undefined ? {} : { ended }),
      ...(parent === undefined ? {} : { parent }),
    };
    return context.json(await owner.engine.list(filter));
  });
  app.get('/v1/status', async (context) =>
    context.json(await owner.listing.rows(checkQuery(RunsQuery, context.req.query()))),
  );
  app.get('/v1/runs/:id/status', async (context) =>
    context.json(await owner.listing.row(await owner.run(runIdOf(context)))),
  );
  app.get('/v1/find', async (context) => {
    const request = checkQuery(FindQuery, context.req.query());
    return context.json({ run: await owner.listing.find(request) });
  });
  app.get('/v1/runs/:id', async (context) => context.json(await owner.run(runIdOf(context))));

  addDecideRoutes(app, owner);
  addMessageRoutes(app, owner);
  addTakeoverRoutes(app, owner);
  addContinueRoutes(app, owner);
  addScheduleRoutes(app, owner);

  app.get('/v1/runs/:id/events', (context) => {
    const { after } = checkQuery(EventsQuery.pick({ after: true }), context.req.query());
    const run = runIdOf(context);
    return eventStream(context, owner.lifetime, (signal) => owner.followRun(run, after, signal));
  });
  app.get('/v1/runs/:id/notifications', async (context) => {
    const { id } = await owner.run(runIdOf(context));
    return context.json(await notificationsOf(owner.journal, id as RunId));
  });
  app.get('/v1/runs/:id/output', (context) => {
    const run = runIdOf(context);
    const request = checkQuery(OutputQuery, context.req.query());
    return eventStream(context, owner.lifetime, (signal) => owner.output(run, request, signal));
  });

  app.get('/v1/runs/:id/diff', async (context) =>
    context.json(await owner.changes.diff(runIdOf(context), context.req.query('project'))),
  );
  app.post('/v1/runs/:id/apply', async (context) => {
    const request = checkQuery(ApplyRequest, await checkBody(context));
    const applied = await owner.requests.once(
      requestKey(context, request),
      (mark) => owner.changes.apply(runIdOf(context), request, mark),
      (fact) => owner.changes.findAnswer(fact),
    );
    return context.json(applied);
  });
  app.post('/v1/runs/:id/conclusion', async (context) => {
    const { id } = await owner.run(runIdOf(context));
    owner.conclusions.give(id, checkQuery(RunConclusion, await checkBody(context)));
    return context.json({ concluded: true });
  });
  app.get('/v1/runs/:id/apply', async (context) => {
    const { message } = checkQuery(ApplyRequest.pick({ message: true }), context.req.query());
    return context.json(await owner.changes.details(runIdOf(context), message));
  });
  app.post('/v1/runs/:id/committed', async (context) => {
    const request = checkQuery(CommittedRequest, await checkBody(context));
    await owner.changes.committed(runIdOf(context), request);
    return context.json(await owner.changes.details(runIdOf(context)));
  });
  app.post('/v1/runs/:id/moved', async (context) => {
    const request = checkQuery(MovedRequest, await checkBody(context));
    await owner.changes.moved(runIdOf(context), request);
    return context.json(await owner.changes.details(runIdOf(context)));
  });
  app.post('/v1/runs/:id/undo', async (context) => {
    const undone = await owner.requests.once(
      requestKey(context, null),
      (mark) => owner.changes.undo(runIdOf(context), mark),
      (fact) => owner.changes.findAnswer(fact),
    );
    return context.json(undone);
  });
  app.post('/v1/runs/:id/discard', async (context) =>
    context.json(await owner.changes.discard(runIdOf(context))),
  );

  addReportRoutes(app, owner);

  app.get('/v1/prune', async (context) => {
    const { before } = checkQuery(PruneQuery, context.req.query());
    return context.json(await owner.prune.plan(before));
  });
  app.post('/v1/prune', async (context) => {
    const { before } = checkQuery(PruneRequest, await checkBody(context));
    return context.json(await owner.prune.prune(before));
  });

  app.get('/v1/runs/:id/artifacts', async (context) =>
    context.json(await owner.artifacts.list(runIdOf(context))),
  );
  app.post('/v1/runs/:id/artifacts/copy', async (context) => {
    const { to } = checkQuery(CopyRequest, await checkBody(context));
    return context.json(await owner.artifacts.copy(runIdOf(context), to));
  });

  app.get('/v1/cooldowns', (context) => context.json(owner.cooldowns.list()));
  app.post('/v1/cooldowns/clear', async (context) =>
    context.json(await owner.cooldowns.clear(checkQuery(ClearRequest, await checkBody(context)))),
  );

  app.get('/v1/events', async (context) => {
    const { run, after, limit, newest } = checkQuery(EventsQuery, context.req.query());
    const stream = run === undefined ? undefined : runStream((await owner.run(parsedRun(run))).id);
    const from = newest ? await lastBut(owner.journal, stream, limit) : after;
    return context.json(await readPage(owner.journal, stream, { after: from, limit }));
  });
  app.get('/v1/events/follow', (context) => {
    const { after } = checkQuery(EventsQuery.pick({ after: true }), context.req.query());
    return eventStream(context, owner.lifetime, (signal) => owner.follow(after, signal));
  });

  app.notFound((context) =>
    refuse(
      context,
      { code: 'request.invalid', message: `Unknown path: ${context.req.path}.` },
      404,
    ),
  );
  app.onError((error, context) => {
    if (error instanceof Refusal) return refuse(context, error.data, httpStatus(error.data.code));
    const fault = machineFault(error);
    if (fault !== undefined) return refuse(context, fault.data, httpStatus('machine.fault'));
    owner.log(`defect in ${context.req.method} ${context.req.path}: ${describeError(error)}`);
    return context.json({ defect: describeError(error) }, 500);
  });
  return app;
}

function refuse(
  context: Context,
  error: RefusalData,
  status: 400 | 401 | 403 | 404 | 409 | 413 | 429 | 503 | 507,
): Response {
  return context.json({ error }, status);
}
