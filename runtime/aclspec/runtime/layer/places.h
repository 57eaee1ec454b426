/* Where a call comes from, as members of a JSON object; the layer and the simulator share this. */
#ifndef ACLSPEC_LAYER_PLACES_H
#define ACLSPEC_LAYER_PLACES_H

#include "text.h"

/* , "python": {...} where the frame is known, with `own` one of the program rather than of a package; else, where `caller` is not NULL, , "caller": {...}: the file and the place in it. */
void layer_add_place(layer_text *text, const void *caller, bool own);

#endif
