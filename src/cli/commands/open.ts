import { Command } from "commander";
import { type CommandTools, configFor, Failed } from "../command-host.ts";

/** `open`: opens the pages in the browser, signed in as administrator. */
export function openCommand({ host }: CommandTools): Command {
  return new Command("open")
    .description("open the pages in the browser, signed in as administrator")
    .argument("[page]", "the page, such as calendar or status", "")
    .option("--print", "only print the address", false)
    .action(async (page: string, { print }: { readonly print: boolean }, command: Command) => {
      const daemon = host.daemonOf(configFor(command, host));
      if (!daemon) {
        throw new Failed(
          "No daemon is running.\nStart it with `dayferry serve`, or the demo with `dayferry demo`.",
          1,
        );
      }
      const address = new URL(`${daemon.url}/`);
      address.searchParams.set("token", daemon.adminToken);
      if (page !== "") address.searchParams.set("next", page.replace(/^\/+/, ""));
      if (print || !(await host.browse(address.href))) host.print(`${address.href}\n`);
    });
}
