/** The part of the owner's API that explains runs. */
import type { Hono } from 'hono';
import type { Owner } from '../owner/owner.ts';
import { SteeringNumbers } from '../owner/runs/steering-numbers.ts';
import { viewPlanned } from '../owner/features/planned-feature.ts';
import { viewAblation } from '../owner/workflows/ablation-reports.ts';
import { ReportQuery, StepsReportQuery } from '../protocol/api.ts';
import { SpendQuery } from '../protocol/views/spend-view.ts';
import { MetricsQuery } from '../protocol/views/metrics-view.ts';
import { checkQuery } from './check-body.ts';
import { runIdOf } from './run-id-param.ts';

export function addReportRoutes(app: Hono, owner: Owner): void {
  const steering = new SteeringNumbers(() => owner.journal);
  app.get('/v1/runs/:id/feature', async (context) =>
    context.json(await owner.features.view(await owner.run(runIdOf(context)))),
  );
  app.get('/v1/runs/:id/planned', async (context) =>
    context.json(await viewPlanned(owner.journal, await owner.run(runIdOf(context)))),
  );
  app.get('/v1/runs/:id/ablation', async (context) =>
    context.json(await viewAblation(owner.journal, await owner.run(runIdOf(context)))),
  );
  app.get('/v1/runs/:id/result', async (context) =>
    context.json(await owner.reports.result(runIdOf(context))),
  );
  app.get('/v1/runs/:id/why', async (context) =>
    context.json(await owner.reports.why(runIdOf(context))),
  );
  app.get('/v1/report', async (context) => {
    const { since } = checkQuery(ReportQuery, context.req.query());
    return context.json(await owner.reports.report(since));
  });
  app.get('/v1/metrics', async (context) => {
    const query = checkQuery(MetricsQuery, context.req.query());
    return context.json(await owner.attemptRecords.metrics(query));
  });
  app.get('/v1/spend', async (context) => {
    const query = checkQuery(SpendQuery, context.req.query());
    return context.json(await owner.attemptRecords.spend(query));
  });
  app.get('/v1/report/steering', async (context) => context.json(await steering.read()));
  app.get('/v1/report/steps', async (context) => {
    const { since, template } = checkQuery(StepsReportQuery, context.req.query());
    return context.json(await owner.stepReports.report(since, template));
  });
}
