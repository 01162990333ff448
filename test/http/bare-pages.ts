import { createAssets, ownFolders } from "../../src/http/assets.ts";
import { surroundPages } from "../../src/http/send-page.ts";

/** Precedes routes that are tested alone, so that they can send pages: nobody has signed in. */
export const barePages = () => {
  const { assets } = createAssets(ownFolders);
  return surroundPages(() => ({
    viewer: null,
    formToken: "",
    zone: "Europe/Berlin",
    assets: assets(),
    outage: null,
    theme: null,
  }));
};
