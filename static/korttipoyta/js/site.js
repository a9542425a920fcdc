/* Every public page: the high-contrast switch. The pages work without it. */

import { followContrast } from "./preferences.js";

followContrast();
