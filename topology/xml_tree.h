/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TOPOLOGY_XML_TREE_H
#define CLUMP_TOPOLOGY_XML_TREE_H

/* XML of strangers in UTF-8 or UTF-16, by libxml2, which limits the depth: nothing is fetched, no entities and attributes are
 * declared; elements, attributes of an element and size are limited. */

#include "model/status.h"

#include <libxml/tree.h>

#include <stdbool.h>
#include <stddef.h>

enum {
    CLUMP_XML_MOST_ELEMENTS = 400000,
    CLUMP_XML_MOST_ATTRIBUTES = 2000,
    CLUMP_XML_MOST_BYTES = 16 << 20
};

/** A document, to be freed with xmlFreeDoc. Errors: CLUMP_BAD_ARGUMENT with the line, CLUMP_NO_MEMORY. */
clump_status clump_xml_read(const char *bytes, size_t size, xmlDoc **document, clump_error *error);

/** An attribute, as long as the document; "" if it is not there. */
const char *clump_xml_attribute(const xmlNode *element, const char *name);

/** The same as a number, also a hexadecimal one (0x10); 0 if it is none, or not there. */
double clump_xml_number(const xmlNode *element, const char *name);

/** The same where a mistake must not pass for 0. Errors: CLUMP_BAD_ARGUMENT, with the line, if the attribute is there
 *  and is no number, or is above `most`; `expected` says in the message what should be there. */
clump_status clump_xml_read_number(const xmlNode *element, const char *name, double most,
                                   const char *expected, double *value, clump_error *error);

/** Is it an element of this name? */
bool clump_xml_is(const xmlNode *node, const char *name);

#endif
