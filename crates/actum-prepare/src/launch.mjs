// Answers for packages that a program's own folders do not have: those of the environment that this file lies in.
import * as module from "node:module";

const here = import.meta.url;
const leads = /^[./]|^[a-z]+:/;

if (module.registerHooks) {
  module.registerHooks({
    resolve(name, context, next) {
      try {
        return next(name, context);
      } catch (error) {
        if (leads.test(name)) throw error;
        try {
          return next(name, { ...context, parentURL: here });
        } catch {
          // What the program asked for, and where, is told by the first.
          throw error;
        }
      }
    },
  });
} else {
  module.register("./resolve.mjs", here);
}
