/** The entry point of a gateway process, one per attempt. `GatewayProcesses` starts it. */
import { machineNetwork } from '../../gateway/network/machine-network.ts';
import { runGatewayProcess } from '../../gateway/process/run-gateway-process.ts';
import { systemClock } from '../../host/machine/system-clock.ts';

await runGatewayProcess({
  clock: systemClock,
  network: machineNetwork,
  // Loaded with the first recorded call: the redactor is half of the code that this process loads.
  createRedactor: (secrets) => {
    let loaded: Promise<{ redact(text: string): Promise<string> }> | undefined;
    return async (text) => {
      loaded ??= import('../../redaction/redactor.ts').then(
        ({ Redactor }) => new Redactor(secrets),
      );
      return (await loaded).redact(text);
    };
  },
});
