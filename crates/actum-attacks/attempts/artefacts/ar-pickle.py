# id: ar-pickle
# group: artefacts
# aim: Leave results whose loading runs code: pickles under the names of several formats.
# judge: outside
# canary: homes
# tier-l: enforced
# source: CWE-502

import pickle


class Trap:
    def __reduce__(self):
        return (open, (P["planted"], "w"))


for name in ("result.pkl", "result.npy", "model.pt", "model.joblib", "__init__.pickle"):
    with open(name, "wb") as file:
        pickle.dump(Trap(), file)
